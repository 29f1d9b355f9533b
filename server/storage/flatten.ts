import { mkdir, readdir, rename, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './errors.ts'

/** File in the objects folder that marks the migration as complete. */
const MARK = '.one-level'

/** Whether a name is that of an objects folder: the last two digits of the ids in it. */
export function isFolder(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name)
}

/**
 * Migrates the old layout with two levels, `ab/cd/<id>` for an id that ends in `abcd` (65,536 folders, created on demand), to
 * `cd/<id>`. If interrupted, it continues at the next start; once complete, it costs one stat.
 * Several servers may run it at once: files that another one has moved are skipped.
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
  for (const name of await readdir(from).catch(ignoreMissing)) {
    await rename(join(from, name), join(to, name)).catch(ignoreMissing)
  }
  await rmdir(from).catch(ignoreMissing)
}

function ignoreMissing(error: unknown): [] {
  if (errorCode(error) === 'ENOENT') return []
  throw error
}
