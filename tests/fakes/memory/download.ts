import { Readable } from 'node:stream'
import { destroyOnAbort } from '../../../server/lib/concurrency.ts'
import type { ByteRange, Call, Download } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import type { MemoryAccount, MemoryObject, MemoryService } from './account.ts'
import type { Fail } from './errors.ts'
import { type Fault, refusal } from './faults.ts'

const PIECE = 64 * 1024

type Getting = {
  readonly service: MemoryService
  readonly account: MemoryAccount
  readonly call: Call
  readonly object: MemoryObject
  readonly range: ByteRange | undefined
  readonly fault: Fault | null
  readonly fail: Fail
}

/** What the service answers: the bytes from `start` on, some of which may not be what was asked for. */
type Answer = { readonly start: number; readonly bytes: Buffer; readonly packed: boolean }

/** Driver.get: what the service sends is cut to the range, and an answer that is too short breaks. */
export function getContent(getting: Getting): Download {
  const { call, object, range, fault, fail } = getting
  if (range && range.end >= object.bytes.length) throw outOfRange(getting)
  const answer = answerOf(getting)
  if (answer.packed) throw fail('Transient', 'The answer is packed, which was not asked for.')
  const start = range?.start ?? 0
  const length = (range?.end ?? object.bytes.length - 1) - start + 1
  const bytes = answer.bytes.subarray(start - answer.start, start - answer.start + length)
  const cut = fault?.kind === 'refused' ? fault : null

  async function* pieces(): AsyncGenerator<Buffer> {
    const end = Math.min(bytes.length, cut?.afterBytes ?? bytes.length)
    for (let at = 0; at < end; at += PIECE) yield Buffer.from(bytes.subarray(at, Math.min(at + PIECE, end)))
    if (cut) throw refusal(cut, { provider: getting.service.kind, operation: 'get' })
    if (bytes.length < length) throw fail('Transient', 'The answer ended early.')
  }
  return { body: destroyOnAbort(call.signal, Readable.from(pieces(), { objectMode: false })) }
}

/** Driver.export: a text that names document and type. */
export function exported(call: Call, { name }: MemoryObject, type: string, fault: Fault | null, fail: Fail): Download {
  async function* pieces(): AsyncGenerator<Buffer> {
    const text = Buffer.from(`${name} as ${type}`)
    yield fault?.kind === 'shortened' ? text.subarray(0, fault.bytes) : text
    if (fault?.kind === 'shortened') throw fail('Transient', 'The answer ended early.')
  }
  return { body: destroyOnAbort(call.signal, Readable.from(pieces(), { objectMode: false })) }
}

/** As services answer (RFC 9110 15.5.17). */
function outOfRange({ service }: Getting): ProviderError {
  const where = { provider: service.kind, operation: 'get', status: 416 }
  return new ProviderError('Permanent', where, { message: 'The range is not within the object.' })
}

function answerOf({ account, object, range, fault }: Getting): Answer {
  const content = fault?.kind === 'otherObject' ? otherThan(account, object) : object.bytes
  const isWhole = range === undefined || fault?.kind === 'rangeIgnored'
  const start = isWhole ? 0 : range.start
  const asked = content.subarray(start, isWhole ? content.length : range.end + 1)
  const bytes = fault?.kind === 'shortened' ? asked.subarray(0, fault.bytes) : asked
  return { start, bytes: fault?.kind === 'flipped' ? flip(bytes, fault.at) : bytes, packed: fault?.kind === 'packed' }
}

function otherThan(account: MemoryAccount, object: MemoryObject): Buffer {
  const others = [...account.objects.values()].filter(({ kind, ref }) => kind === 'file' && ref !== object.ref)
  const long = others.find(({ bytes }) => bytes.length >= object.bytes.length)
  return (long ?? others[0])?.bytes ?? Buffer.alloc(object.bytes.length, 0x55)
}

function flip(bytes: Buffer, at: number): Buffer {
  const other = Buffer.from(bytes)
  const place = at % Math.max(1, other.length)
  if (other.length > 0) other.writeUInt8(other.readUInt8(place) ^ 1, place)
  return other
}
