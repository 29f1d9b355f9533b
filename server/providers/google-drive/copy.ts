import type { Call, CopyProgress, Entry, EntryRef, NewEntry } from '../driver.ts'
import { ALL_DRIVES } from './files.ts'
import { checkEntry } from './put.ts'
import type { PutContext } from './putJob.ts'
import { sessionText } from './session.ts'
import { entryOf, FILE_FIELDS } from './wire.ts'

/** Under an id that was saved before Drive is asked, as an upload is. */
export async function copy(
  { client, capabilities, ids }: PutContext,
  call: Call,
  ref: EntryRef,
  entry: NewEntry,
  { save }: CopyProgress,
): Promise<Entry> {
  checkEntry(entry, capabilities)
  const { parent, name, size } = entry
  const id = await ids.next(call)
  await save(sessionText({ id, uri: null, parent, name, size }))
  const requestBody = { id, name, parents: [parent] }
  const copied = await client.ask(call, 'copy', (api, options) =>
    api.files.copy({ fileId: ref, requestBody, fields: FILE_FIELDS, ...ALL_DRIVES }, options),
  )
  return entryOf(copied)
}
