import { randomBytes, randomUUID } from 'node:crypto'
import { link, open, readFile, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

const SECRET_BYTES = 32

/** The secret in the file; null when there is none. @throws errors of the file system */
export async function readSecretFile(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim() || null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Creates a secret that only this user can read; complete and durable when it resolves. Concurrent callers get the same one. */
export async function createSecretFile(path: string): Promise<string> {
  const draft = `${path}.${randomUUID()}`
  await writeDurably(draft, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`)
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
  await syncFolder(dirname(path))
  const secret = await readSecretFile(path)
  if (secret === null) throw new Error(`${path} is empty.`)
  return secret
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
