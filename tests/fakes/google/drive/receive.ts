import type { Blob } from '../../core/blobs.ts'
import type { Exchange } from '../../core/service.ts'
import { type Content, createContent } from '../content.ts'
import type { DriveFile } from '../model.ts'
import type { Call } from './call.ts'
import { type Mask, project } from './fields.ts'
import { fileAnswer } from './files.ts'
import { createFile, hasContent, type Metadata, replaceContent, updateMetadata } from './metadata.ts'
import { viewFile } from './view.ts'

/** What an upload makes: a new file, or new bytes of one there is. */
export type Target = {
  readonly metadata: Metadata
  readonly type: string
  readonly mask: Mask
  readonly replaces: DriveFile | null
}

/** Stores what came in, as a planned fault has it; the answer is that of Drive, which believes all is well. */
export async function store(call: Call, target: Target, blob: Blob): Promise<unknown> {
  const content = createContent(await cut(call.exchange, call, blob))
  if (call.exchange.take('vanish')) return vanished(call, target, content)
  if (target.replaces) {
    await replaceContent(call, target.replaces, content)
    updateMetadata(call, target.replaces, target.metadata)
    return fileAnswer(call, target.replaces, target.mask)
  }
  const bytes = hasContent(target.metadata) ? content : null
  const file = createFile(call, target.metadata, bytes, target.type)
  if (call.exchange.take('duplicate'))
    createFile(call, { ...target.metadata, id: undefined }, bytes?.share() ?? null, target.type).madeTwice = true
  return fileAnswer(call, file, target.mask)
}

/** The blob itself, unless its end is to be lost. */
async function cut(exchange: Exchange, call: Call, blob: Blob): Promise<Blob> {
  const fault = blob.size > 0 ? exchange.take('truncate') : null
  if (!fault) return blob
  const shorter = call.google.store.blobs.create()
  const end = Math.max(0, blob.size - (fault.bytes ?? 1))
  for await (const chunk of blob.read(0, end) as AsyncIterable<Buffer>) await shorter.append(chunk)
  await blob.remove()
  return shorter
}

/** The answer for a file that is gone when it is given. */
async function vanished(call: Call, target: Target, content: Content): Promise<unknown> {
  if (target.replaces) {
    await content.release()
    return fileAnswer(call, target.replaces, target.mask)
  }
  const file = createFile(call, target.metadata, content, target.type)
  const answer = project(await viewFile(call, file, target.mask), target.mask)
  await call.google.store.remove(file)
  return answer
}
