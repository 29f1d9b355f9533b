import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import type { Call, Content, Download, EntryRef, NewEntry, PutProgress } from '../../../server/providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../../server/providers/errors.ts'

export const call = (signal = new AbortController().signal): Call => ({ signal, requestId: 'r1' })

/** Bytes without a pattern, the same for the same seed. */
export function bytesOf(size: number, seed = 'a'): Buffer {
  return createHash('shake256', { outputLength: Math.max(1, size) })
    .update(seed)
    .digest()
    .subarray(0, size)
}

export type TestContent = Content & { readonly bytes: Buffer; readonly opened: number[] }

export function contentOf(bytes: Buffer): TestContent {
  const opened: number[] = []
  return {
    bytes,
    opened,
    size: bytes.length,
    open(start) {
      opened.push(start)
      return Readable.from(pieces(bytes.subarray(start)), { objectMode: false })
    },
  }
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  // An odd length, so that pieces and chunks never end together.
  for (let at = 0; at < bytes.length; at += 60_001) yield bytes.subarray(at, at + 60_001)
}

export type TestProgress = PutProgress & { readonly saved: string[]; readonly told: number[] }

/** `onTold` may break the put off. */
export function progressOf(session: string | null = null, onTold?: (bytes: number) => void): TestProgress {
  const saved: string[] = []
  const told: number[] = []
  return {
    session,
    saved,
    told,
    save: async (text) => void saved.push(text),
    onProgress(bytes) {
      told.push(bytes)
      onTold?.(bytes)
    },
  }
}

export const newEntry = (parent: EntryRef, name: string, size: number): NewEntry => ({
  parent,
  name,
  size,
  mimeType: 'application/octet-stream',
})

export async function readAll(download: Download | Promise<Download>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of (await download).body as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export async function failure(promise: Promise<unknown>, code?: ProviderErrorCode): Promise<ProviderError> {
  const error = await promise.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ProviderError)
  if (code) expect((error as ProviderError).code, (error as ProviderError).message).toBe(code)
  return error as ProviderError
}

export const digestOf = (algorithm: string, bytes: Buffer): string => createHash(algorithm).update(bytes).digest('hex')
