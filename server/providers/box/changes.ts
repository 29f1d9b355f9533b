import type { Call, Change, ChangePage, EntryRef } from '../driver.ts'
import { isFailure, ProviderError } from '../errors.ts'
import { type BoxContext, KIND } from './client.ts'
import { entryOf, ROOT, refOf } from './entry.ts'
import { itemAt } from './files.ts'

const WHERE = { provider: KIND, operation: 'changes' }

/** Box keeps events at least two weeks. An older cursor could miss some without notice. */
const KEPT_MS = 13 * 24 * 3600 * 1000

/** Calls for the states of items at the same time. */
const AT_ONCE = 4

/** A position in the events of the account, and when it was read (ms since 1970). As text: both, separated by a space. */
type Place = { readonly position: string; readonly at: number }

type Events = { readonly entries: readonly Event[]; readonly position: string }
type Event = { readonly source?: { readonly type?: string; readonly id?: string } | null }

/**
 * Driver.changes, by the events of the account. Box repeats events, and later pages can contain earlier ones: each only says that an
 * item may have changed, and its state is read afterwards.
 */
export async function changes(context: BoxContext, call: Call, cursor: string | null): Promise<ChangePage> {
  const place = cursor === null ? null : readPlace(cursor, context.now())
  const { entries, position } = await readEvents(context, call, place?.position ?? 'now')
  const refs = place === null ? [] : refsIn(entries)
  const found: Change[] = []
  for (let at = 0; at < refs.length; at += AT_ONCE) {
    found.push(...(await Promise.all(refs.slice(at, at + AT_ONCE).map((ref) => changeOf(context, call, ref)))))
  }
  const isFurther = entries.length > 0 && position !== place?.position
  return { changes: found, cursor: `${position} ${context.now()}`, hasMore: place !== null && isFurther }
}

function refsIn(entries: readonly Event[]): EntryRef[] {
  const refs = entries.flatMap(({ source }) => {
    const ref = source?.type && source.id ? refOf(source.type, source.id) : null
    return ref === null || ref === ROOT ? [] : [ref]
  })
  return [...new Set(refs)]
}

async function changeOf({ client }: BoxContext, call: Call, ref: EntryRef): Promise<Change> {
  try {
    return { ref, entry: entryOf(await itemAt(client, call, 'changes', ref)) }
  } catch (error) {
    // Forbidden: it is not shared with the account any more.
    if (isFailure(error, 'NotFound') || isFailure(error, 'Forbidden')) return { ref, entry: null }
    throw error
  }
}

async function readEvents({ client, limits }: BoxContext, call: Call, position: string): Promise<Events> {
  const response = await client
    .send(call, 'changes', {
      method: 'GET',
      url: '/events',
      query: { stream_type: 'changes', stream_position: position, limit: String(limits.eventsPerPage) },
    })
    .catch((error: unknown) => {
      if (isFailure(error, 'Permanent') && error.where.status === 400) throw resetOf('Box does not know the position.')
      throw error
    })
  const text = await response.text()
  // A number or a string of digits, of up to 64 bits: JSON.parse would round it.
  const [, next] = /"next_stream_position"\s*:\s*"?(\d+)"?/.exec(text) ?? []
  const { entries } = parsed(text)
  if (next !== undefined && Array.isArray(entries)) return { entries, position: next }
  throw new ProviderError('Transient', WHERE, { message: 'The response has no events.' })
}

function parsed(text: string): { readonly entries?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { readonly entries?: unknown }
  } catch {
    throw new ProviderError('Transient', WHERE, { message: 'The response is not JSON.' })
  }
}

/** @throws CursorReset */
function readPlace(cursor: string, now: number): Place {
  const [, position = '', at] = /^(\d+) (\d+)$/.exec(cursor) ?? []
  if (at === undefined) throw resetOf('This is not a position of Box.')
  if (now - Number(at) > KEPT_MS) throw resetOf('The position is too old.')
  return { position, at: Number(at) }
}

const resetOf = (message: string): ProviderError => new ProviderError('CursorReset', WHERE, { message })
