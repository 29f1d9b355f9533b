import { Readable } from 'node:stream'
import { destroyOnAbort } from '../../lib/concurrency.ts'
import type { ByteRange, Call, Download, Entry, EntryRef } from '../driver.ts'
import { nothingWhen } from '../errors.ts'
import { failed } from './errors.ts'
import { type Channel, fileNameOf, partsOf, readObject, readRef, requireRef } from './objects.ts'

/** Driver.stat: whether the head is there. Its size is in the ref. */
export async function stat({ api, chat }: Channel, call: Call, ref: EntryRef): Promise<Entry> {
  const { messageId, objectId, size } = requireRef(ref, 'stat')
  if (!(await api.isThere(call, 'stat', chat, messageId))) throw failed('stat', 'NotFound', 'The message was deleted.')
  return { ref, name: fileNameOf(objectId, null), kind: 'file', size, modifiedAt: null, hash: null }
}

/** Driver.get: resolves with the first verified bytes. */
export async function get(channel: Channel, call: Call, ref: EntryRef, range?: ByteRange): Promise<Download> {
  const content = readObject(channel, call, ref, range ?? null)
  const first = await content.next()
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (first.done) return
      yield first.value
      yield* content
    } finally {
      await content.return(undefined)
    }
  }
  const body = Readable.from(all(), { objectMode: false })
  // An unread body ends with the call, too.
  body.once('close', () => void content.return(undefined))
  return { body: destroyOnAbort(call.signal, body) }
}

/** Driver.delete: the parts first, as only the head names them. */
export async function remove(channel: Channel, call: Call, ref: EntryRef): Promise<void> {
  const object = readRef(ref)
  if (!object) return
  const { api, chat, lists } = channel
  const parts = object.isWhole ? [] : await partsOf(channel, call, 'delete', ref).catch(nothingWhen('NotFound'))
  const ids = (parts ?? []).map(({ messageId }) => messageId)
  await api.deleteMessages(call, 'delete', chat, ids)
  await api.deleteMessages(call, 'delete', chat, [object.messageId])
  lists.delete(ref)
}
