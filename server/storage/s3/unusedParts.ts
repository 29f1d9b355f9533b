import { ObjectMissingError } from '../errors.ts'
import type { Fence, S3Context } from './context.ts'
import { isPartsMismatch } from './errors.ts'
import { bodyOf, type Part, type Upload } from './objects.ts'
import type { Tail, UnusedPart } from './rows.ts'

// A writer that stops may leave parts in the multipart upload that were never recorded. AWS and Swift complete an upload with the parts
// that the request names. Ceph refuses unless every part that was sent is named ("total parts mismatch" in rgw), and no request deletes
// a single part. There, all parts become one object, whose content is then copied to the same key without them.
// The unused parts are in the database before that object exists, so that any server can finish what another one began.

/** The writer of a staged object: see `Session`. */
export type Writing = { readonly id: string; readonly session: number; readonly fence: Fence }

/** A part can still arrive that was sent by a server which is suspended or cut off. */
const ATTEMPTS = 3

/**
 * Makes an object of these parts, whatever else the upload has. `parts` are all parts of the content, by number.
 * @throws S3Error as of `completeUpload`
 */
export async function completeParts(
  context: S3Context,
  writing: Writing,
  upload: Upload,
  parts: readonly Part[],
): Promise<void> {
  const { objects, rows, limits } = context
  const { id, session, fence } = writing
  const used = new Map(parts.map(({ number, etag }) => [number, etag]))
  const unusedOf = (all: readonly Part[]): Part[] => all.filter(({ number }) => !used.has(number))
  for (let attempt = 1; ; attempt += 1) {
    let all = parts
    try {
      if (attempt > 1) all = await prepare()
      await fence((until) => objects.completeUpload(upload, all, until))
      if (all.length > parts.length) await cutOut(context, writing, layoutOf(parts, unusedOf(all)))
      return
    } catch (error) {
      if (!isPartsMismatch(error) || attempt > ATTEMPTS) throw error
      const stored = await objects.listParts(upload)
      const found = stored.filter(({ number, etag }) => used.get(number) === etag).length
      // Something else is wrong with the parts.
      if (found < parts.length || found === stored.length) throw error
    }
  }

  /** @returns all parts, after those that are not used were made large enough for the store and recorded */
  async function prepare(): Promise<readonly Part[]> {
    const stored = await objects.listParts(upload)
    const last = stored.at(-1)?.number
    const all: Part[] = []
    for (const part of stored) {
      const isTooShort = part.size < limits.partBytes && part.number !== last && !used.has(part.number)
      all.push(isTooShort ? await objects.sendPart(upload, part.number, bodyOf(Buffer.alloc(limits.partBytes))) : part)
    }
    if (!(await rows.recordUnused(id, session, unusedOf(all)))) throw new ObjectMissingError(id)
    return all
  }
}

/**
 * Continues what a server has begun that was stopped after it had made an object with unused parts. `found` is what is at the key.
 * @throws the error if it is not that object
 */
export async function removeUnused(
  context: S3Context,
  writing: Writing,
  { size, tail }: { readonly size: number; readonly tail: Tail | null },
  found: { readonly size: number } | null,
  error: unknown,
): Promise<void> {
  const { rows } = context
  const [parts, unused] = await Promise.all([rows.parts(writing.id), rows.unusedParts(writing.id)])
  const total = unused.reduce((sum, part) => sum + part.size, size)
  if (unused.length === 0 || found?.size !== total) throw error
  // The copy of the tail has the last number.
  const used = tail === null ? parts : [...parts, { number: Number.POSITIVE_INFINITY, size: tail.size }]
  await cutOut(context, writing, layoutOf(used, unused))
}

type Range = { readonly start: number; readonly end: number }

/** Where the content is in an object of both kinds of parts: ranges in bytes, `end` inclusive, that do not touch. */
function layoutOf(parts: readonly UnusedPart[], unused: readonly UnusedPart[]): Range[] {
  const all = [
    ...parts.map((part) => ({ ...part, isUsed: true })),
    ...unused.map((part) => ({ ...part, isUsed: false })),
  ]
  const ranges: Range[] = []
  let start = 0
  for (const { size, isUsed } of all.sort((a, b) => a.number - b.number)) {
    const before = ranges.at(-1)
    if (isUsed && before?.end === start - 1) ranges.push({ start: ranges.pop()?.start ?? 0, end: start + size - 1 })
    else if (isUsed) ranges.push({ start, end: start + size - 1 })
    start += size
  }
  return ranges
}

/** Replaces the object at the key by these ranges of it. */
async function cutOut(
  { objects, limits, keyOf }: S3Context,
  { id, fence }: Writing,
  ranges: readonly Range[],
): Promise<void> {
  const key = keyOf(id)
  const etag = (await objects.head(key))?.etag
  const from = { from: key, ...(etag !== undefined && { etag }) }
  const upload = { key, uploadId: await objects.beginUpload(key) }
  try {
    const parts: Part[] = []
    for (const range of ranges)
      for (const piece of piecesOf(range, limits.copyBytes))
        parts.push(await objects.copyPart(upload, parts.length + 1, { ...from, ...piece }))
    await fence((until) => objects.completeUpload(upload, parts, until))
  } catch (error) {
    await objects.abortUpload(upload).catch(() => undefined)
    throw error
  }
}

/** What is copied by one request each: pieces of at least `bytes` and less than twice as many, or the whole range. */
export function* piecesOf({ start, end }: Range, bytes: number): Iterable<Range> {
  let at = start
  for (; end - at + 1 >= 2 * bytes; at += bytes) yield { start: at, end: at + bytes - 1 }
  yield { start: at, end }
}
