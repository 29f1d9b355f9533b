import type { files } from 'dropbox'
import type { Call, EntryRef } from '../driver.ts'
import { nothingWhen } from '../shared/failures.ts'
import { createRunningHash, openSource } from '../shared/source.ts'
import type { DropboxClient } from './client.ts'
import { metadataAt } from './files.ts'
import { type Put, WHERE } from './putJob.ts'
import { pathIn } from './wire.ts'

/** What is there under the name, when it has our bytes and is nobody else's: the bytes are read for it if they were not yet. */
export async function ours(doing: Put): Promise<files.FileMetadata | null> {
  const { client, call, entry, progress } = doing
  const file = await fileAt(client, call, pathIn(entry.parent, entry.name))
  if (!file || file.size !== entry.size) return null
  if (file.content_hash !== (doing.hash.digest() ?? (await hashOf(doing)))) return null
  return (await progress.isTaken?.(file.id as EntryRef)) ? null : file
}

async function hashOf({ content, call }: Put): Promise<string | null> {
  const hash = createRunningHash('dropbox', content.size)
  const source = openSource(content, 0, hash, WHERE)
  try {
    for await (const _ of source.take(content.size)) call.signal.throwIfAborted()
    return hash.digest()
  } finally {
    source.close()
  }
}

/** Null when nothing is there, or a folder. */
export async function fileAt(client: DropboxClient, call: Call, path: string): Promise<files.FileMetadata | null> {
  const metadata = await metadataAt(client, call, 'put', path).catch(nothingWhen('NotFound'))
  return metadata && 'size' in metadata ? metadata : null
}
