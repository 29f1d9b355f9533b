import { createHash } from 'node:crypto'
import { createSemaphore } from '../../lib/concurrency.ts'
import { ObjectMissingError } from '../errors.ts'
import type { NewWriter, StagingWriter } from '../stagingWriter.ts'
import { createFence, partBytesOf, rememberWhole, type S3Context } from './context.ts'
import { asDiskFull, isUploadGone } from './errors.ts'
import type { Body, Part, Upload } from './objects.ts'
import type { Tail } from './rows.ts'
import { assemble, beginUpload, claimPart, copyIntoParts, openSession, type Session } from './session.ts'
import { completeParts } from './unusedParts.ts'

/** Chunks on their way into one part or object. */
type Filling = { readonly chunks: Buffer[]; bytes: number; readonly md5: ReturnType<typeof createHash> }

/**
 * Gathers what is written and sends it in parts, a few at a time; what is smaller than one part stays in memory. `next` names the upload
 * and the number of each part.
 */
function createParts(context: S3Context, next: () => Promise<{ readonly upload: Upload; readonly number: number }>) {
  const { objects, limits } = context
  const inTurn = createSemaphore(limits.parallelParts)
  const running = new Set<Promise<void>>()
  let filling: Filling = { chunks: [], bytes: 0, md5: createHash('md5') }
  let partBytes = limits.partBytes
  let sent: Part[] = []
  let failure: { readonly error: unknown } | null = null

  function take(chunk: Buffer): Buffer {
    const part = chunk.subarray(0, partBytes - filling.bytes)
    filling.chunks.push(part)
    filling.bytes += part.length
    filling.md5.update(part)
    return chunk.subarray(part.length)
  }

  const content = (): Body => ({ chunks: filling.chunks, md5: filling.md5.copy().digest() })

  /** Sends what was gathered, and resolves when the next part may be gathered. */
  async function send(): Promise<void> {
    const body = content()
    filling = { chunks: [], bytes: 0, md5: createHash('md5') }
    const { upload, number } = await next()
    partBytes = partBytesOf(limits, number + 1)
    await new Promise<void>((begun) => {
      const sending: Promise<void> = inTurn(() =>
        context.sending(async () => {
          begun()
          sent.push(await objects.sendPart(upload, number, body))
        }),
      )
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => void running.delete(sending))
      running.add(sending)
    })
  }

  async function wait(): Promise<void> {
    while (running.size > 0) await Promise.all(running)
    if (failure) throw failure.error
  }

  return {
    get gatheredBytes() {
      return filling.bytes
    },
    content,
    send,
    wait,
    async write(chunk: Buffer): Promise<void> {
      for (let rest = chunk; rest.length > 0; ) {
        rest = take(rest)
        if (filling.bytes < partBytes) continue
        if (failure) throw failure.error
        await send()
      }
    },
    /** The parts that were sent since the last call, by number. */
    takeSent(): Part[] {
      const parts = sent.sort((a, b) => a.number - b.number)
      sent = []
      return parts
    },
    /** Waits for what is being sent, whatever comes of it, and begins with this content. */
    async restart({ memory, parts, nextPart }: Pick<Session, 'memory' | 'parts' | 'nextPart'>): Promise<void> {
      await wait().catch(() => undefined)
      failure = null
      partBytes = partBytesOf(limits, nextPart)
      sent = [...parts]
      filling = { chunks: [], bytes: 0, md5: createHash('md5') }
      if (memory.length > 0) take(memory)
    },
  }
}

/** Writes a new object. It becomes durable as a whole, by `sync` after the last write. */
export function createNewS3Writer(context: S3Context, id: string): NewWriter {
  const { objects, rows, limits, keyOf } = context
  const key = keyOf(id)
  let adding: Promise<void> | null = null
  let addedAt = 0
  let upload: Upload | null = null
  let number = 0
  let position = 0
  let done: Part[] = []
  let synced = false
  let closed = false
  const parts = createParts(context, async () => {
    await add()
    upload ??= await beginUpload(context, id, FIRST)
    if (number === limits.maxParts) await startAgain()
    number += 1
    return { upload, number }
  })

  /** The row comes before the first byte, so that the object is found if this server stops. */
  function add(): Promise<void> {
    adding ??= (async () => {
      addedAt = performance.now()
      if (!(await rows.add(id)))
        throw Object.assign(new Error('EEXIST: the object exists already.'), { code: 'EEXIST' })
    })()
    adding.catch(() => undefined)
    return adding
  }

  const fence = () => createFence(context, id, FIRST, addedAt)

  async function finish(): Promise<void> {
    await parts.wait()
    done = [...done, ...parts.takeSent()]
    const finished = upload
    if (finished) await fence()((until) => objects.completeUpload(finished, done, until))
    upload = null
  }

  /** Continues a content with more parts than an upload can have: they become one object, which is copied into the next upload. */
  async function startAgain(): Promise<void> {
    await finish()
    const size = done.reduce((sum, part) => sum + part.size, 0)
    const copied = await copyIntoParts(context, id, FIRST, size)
    upload = copied.upload
    done = copied.parts
    number = done.length
  }

  return {
    get position() {
      return position
    },
    async write(chunk) {
      void add()
      position += chunk.length
      await parts.write(chunk).catch(asDiskFull)
    },
    async sync() {
      if (synced) return
      try {
        await add()
        if (upload && parts.gatheredBytes > 0) await parts.send()
        if (upload) await finish()
        else await fence()((until) => objects.put(key, parts.content(), until))
      } catch (error) {
        asDiskFull(error)
      }
      synced = true
      rememberWhole(context, id, FIRST)
    },
    async exists() {
      if (closed || !synced) return false
      const state = await rows.state(id)
      // Published in the meantime, unless it was deleted.
      return state === null ? (await objects.head(key)) !== null : state === 'staged'
    },
    async close() {
      closed = true
      await parts.wait().catch(() => undefined)
      await adding?.catch(() => undefined)
    },
  }
}

/** Number of the first session, in which a row is added. */
const FIRST = 1

/** Writes to a staged object that several servers may continue, one after the other. */
export async function createStagedS3Writer(context: S3Context, id: string, offset: number): Promise<StagingWriter> {
  const { objects, rows, limits, keyOf, tailKeyOf } = context
  let session = await openSession(context, id, offset)
  let { upload, tail } = session
  let position = session.size
  /** What the row, or the object at its key, has. */
  let durable: number | null = session.size > 0 ? session.size : null
  let isCut = false
  let tails = 0
  /** Tails that no row names any more. */
  const replaced: Tail[] = []
  const parts = createParts(context, async () => {
    context.whole.delete(id)
    upload ??= await beginUpload(context, id, session.session)
    let number = await claimPart(context, id, session.session)
    if (number > limits.maxParts) {
      await startAgain()
      number = await claimPart(context, id, session.session)
    }
    return { upload, number }
  })
  await parts.restart(session)

  async function begin(size: number): Promise<void> {
    session = await openSession(context, id, size)
    upload = session.upload
    tail = session.tail
    position = session.size
    durable = position
    isCut = false
    await parts.restart(session)
  }

  async function record(size: number, next: Tail | null, note: Buffer | null): Promise<void> {
    const recorded = { size, tail: next, note, added: parts.takeSent() }
    if (!(await rows.record(id, session.session, recorded))) throw new ObjectMissingError(id)
    if (tail !== null && tail.name !== next?.name) replaced.push(tail)
    tail = next
  }

  /** The parts become one object, which is copied into the next upload. */
  async function startAgain(): Promise<void> {
    await parts.wait()
    const added = parts.takeSent()
    const known = await rows.parts(id)
    const size = [...known, ...added].reduce((sum, part) => sum + part.size, 0)
    if (!(await rows.record(id, session.session, { size, tail: null, note: null, added })))
      throw new ObjectMissingError(id)
    if (tail !== null) replaced.push(tail)
    tail = null
    const finished = upload
    const writing = { id, session: session.session, fence: session.fence }
    if (finished) await completeParts(context, writing, finished, [...known, ...added])
    if (!(await rows.finish(id, session.session, null))) throw new ObjectMissingError(id)
    const copied = await copyIntoParts(context, id, session.session, size)
    upload = copied.upload
    const body = { size, tail: null, note: null, added: copied.parts }
    if (!(await rows.record(id, session.session, body))) throw new ObjectMissingError(id)
    durable = size
  }

  async function sync(note: Buffer | null): Promise<void> {
    if (isCut) await begin(position)
    await parts.wait()
    if (upload) {
      const bytes = parts.gatheredBytes
      const next = bytes === 0 ? null : { name: `${id}-${session.session}-${++tails}`, size: bytes }
      if (next) await objects.put(tailKeyOf(next.name), parts.content())
      await record(position, next, note)
    } else {
      await session.fence((until) => objects.put(keyOf(id), parts.content(), until))
      if (note && !(await rows.finish(id, session.session, note))) throw new ObjectMissingError(id)
      rememberWhole(context, id, session.session)
    }
    durable = position
  }

  /** An upload that another server completed just before it stopped is continued at the next attempt. */
  async function explain(error: unknown): Promise<never> {
    if (isUploadGone(error)) await assemble(context, id).catch(() => undefined)
    return asDiskFull(error)
  }

  return {
    get position() {
      return position
    },
    async write(chunk) {
      if (isCut) await begin(position)
      position += chunk.length
      await parts.write(chunk).catch(explain)
    },
    async sync(note = null) {
      if (durable !== position || note) await sync(note).catch(explain)
    },
    async truncate(size) {
      await parts.wait().catch(() => undefined)
      if (size !== (durable ?? 0)) return begin(size)
      // What is durable is as long: the next write reads it again.
      position = size
      isCut = true
    },
    async close() {
      await parts.wait().catch(() => undefined)
      await Promise.all(replaced.splice(0).map(({ name }) => objects.delete(tailKeyOf(name))))
    },
  }
}
