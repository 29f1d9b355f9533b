import { mkdir, readdir, rename, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './errors.ts'

/** In the folder of objects: what lies there lies where it is looked for. */
const MARK = '.one-level'

/** A folder of objects, named by the last two digits of their ids. */
export function isFolder(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name)
}

/**
 * Objects once lay two levels deep, `ab/cd/<id>` for an id that ends in `abcd`: 65,536 folders, each made with its first file.
 * Moves them to `cd/<id>`. Broken off, it goes on at the next start; done, it costs one look.
 * Several servers may do it at once: what one has moved, the others find moved.
 */
export async function flattenOnce(objects: string): Promise<void> {
  const mark = join(objects, MARK)
  if (await stat(mark).catch(() => null)) return
  for (const outer of (await readdir(objects)).filter(isFolder)) {
    const entries = await readdir(join(objects, outer), { withFileTypes: true })
    for (const entry of entries.filter((each) => each.isDirectory())) await flatten(objects, outer, entry.name)
  }
  await writeFile(mark, '')
}

async function flatten(objects: string, outer: string, inner: string): Promise<void> {
  const from = join(objects, outer, inner)
  const to = join(objects, inner)
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const name of await readdir(from).catch(unlessGone)) {
    await rename(join(from, name), join(to, name)).catch(unlessGone)
  }
  await rmdir(from).catch(unlessGone)
}

function unlessGone(error: unknown): [] {
  if (errorCode(error) === 'ENOENT') return []
  throw error
}
