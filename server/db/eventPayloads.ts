import type { EventMap, FilesChanged } from '../domain/events.ts'

export type Topic = keyof EventMap

/** An event on its way: to whom, about what. */
export type Envelope<Name extends Topic = Topic> = {
  [Each in Name]: { readonly topic: Each; readonly userId: string; readonly event: EventMap[Each] }
}[Name]

/** PostgreSQL refuses payloads of 8,000 bytes and more; ids are 39 bytes each with their quotes. */
const MOST_IDS = 180

/** Says nothing in particular: a reader that gets it reads again what it shows. */
export const EVERYTHING: FilesChanged = { fileIds: [], removedIds: [], parentIds: [], truncated: true }

/** Per topic, one event that says at least as much as both; of two reports of progress the newer one. */
export const COMBINE: { readonly [Name in Topic]: (older: EventMap[Name], newer: EventMap[Name]) => EventMap[Name] } = {
  filesChanged: (older, newer) =>
    bounded({
      fileIds: [...new Set([...older.fileIds, ...newer.fileIds])],
      removedIds: [...new Set([...older.removedIds, ...newer.removedIds])],
      parentIds: [...new Set([...older.parentIds, ...newer.parentIds])],
      truncated: older.truncated || newer.truncated,
    }),
  uploadProgressed: (_older, newer) => newer,
}

/** Adds an envelope to those that wait, into the one for the same reader and thing where there is one. */
export function gather(waiting: Map<string, Envelope>, envelope: Envelope): void {
  const thing = envelope.topic === 'uploadProgressed' ? envelope.event.uploadId : ''
  const key = `${envelope.topic} ${envelope.userId} ${thing}`
  const older = waiting.get(key)
  waiting.set(key, older ? merge(older, envelope) : envelope)
}

function merge(older: Envelope, newer: Envelope): Envelope {
  if (older.topic !== 'filesChanged' || newer.topic !== 'filesChanged') return newer
  return { ...newer, event: COMBINE.filesChanged(older.event, newer.event) }
}

/** The text of a notification, short enough for one. */
export function toPayload(envelope: Envelope): string {
  return JSON.stringify(envelope.topic === 'filesChanged' ? { ...envelope, event: bounded(envelope.event) } : envelope)
}

/** @throws SyntaxError for what toPayload did not make */
export function fromPayload(payload: string): Envelope {
  return JSON.parse(payload) as Envelope
}

/** The same event if it fits into a notification, else one that says "read again". */
function bounded(event: FilesChanged): FilesChanged {
  const ids = event.fileIds.length + event.removedIds.length + event.parentIds.length
  return ids <= MOST_IDS ? event : EVERYTHING
}
