import type { Call, CopyProgress, Entry, EntryRef, NewEntry } from '../driver.ts'
import { isFailure } from '../shared/failures.ts'
import { checkEntry } from './capabilities.ts'
import type { DropboxClient } from './client.ts'
import { relocated } from './files.ts'
import { sessionText } from './session.ts'
import { pathIn } from './wire.ts'

/** Known by its name and its bytes, as an upload by one request is. */
export async function copy(
  client: DropboxClient,
  call: Call,
  ref: EntryRef,
  entry: NewEntry,
  { hash, save }: CopyProgress,
): Promise<Entry> {
  checkEntry(entry)
  const { parent, name, size } = entry
  const begun = (named: boolean) => save(sessionText({ uploadId: null, parent, name, size, named, hash }))
  await begun(true)
  try {
    const target = { from_path: ref, to_path: pathIn(parent, name) }
    const { metadata } = await client.ask(call, 'copy', (sdk) => sdk.filesCopyV2(target))
    return relocated(metadata, 'copy')
  } catch (error) {
    // What has the name is another's, whatever its bytes.
    if (isFailure(error, 'Conflict')) await begun(false)
    throw error
  }
}
