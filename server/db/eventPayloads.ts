import type { AccountsChanged, EventMap, FilesChanged } from '../domain/events.ts'

export type Topic = keyof EventMap

/** An event on its way: to whom, about what. */
export type Envelope<Name extends Topic = Topic> = {
  [Each in Name]: { readonly topic: Each; readonly userId: string; readonly event: EventMap[Each] }
}[Name]

/** PostgreSQL refuses payloads of 8,000 bytes and more; ids are 39 bytes each with their quotes. */
const MOST_IDS = 180

/** Says nothing in particular: a reader that gets it reads again what it shows. */
export const EVERYTHING: FilesChanged = { fileIds: [], removedIds: [], parentIds: [], truncated: true }
export const ALL_ACCOUNTS: AccountsChanged = { accountIds: null }

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
  transferProgressed: (_older, newer) => newer,
  accessChanged: (_older, newer) => newer,
  uploadWanted: (_older, newer) => newer,
  accountsChanged: (older, newer) => {
    if (older.accountIds === null || newer.accountIds === null) return ALL_ACCOUNTS
    return boundedAccounts({ accountIds: [...new Set([...older.accountIds, ...newer.accountIds])] })
  },
}

/** Adds an envelope to those that wait, into the one for the same reader and thing where there is one. */
export function gather(waiting: Map<string, Envelope>, envelope: Envelope): void {
  const key = `${envelope.topic} ${envelope.userId} ${thingOf(envelope)}`
  const older = waiting.get(key)
  waiting.set(key, older ? merge(older, envelope) : envelope)
}

/** Reports of two things are kept apart; changes of files, accounts or access are one thing per user. */
function thingOf(envelope: Envelope): string {
  if (envelope.topic === 'uploadWanted') return `${envelope.event.uploadId} ${envelope.event.end}`
  if (envelope.topic === 'uploadProgressed') return envelope.event.uploadId
  return envelope.topic === 'transferProgressed' ? envelope.event.transferId : ''
}

function merge(older: Envelope, newer: Envelope): Envelope {
  if (older.topic === 'filesChanged' && newer.topic === 'filesChanged') {
    return { ...newer, event: COMBINE.filesChanged(older.event, newer.event) }
  }
  if (older.topic === 'accountsChanged' && newer.topic === 'accountsChanged') {
    return { ...newer, event: COMBINE.accountsChanged(older.event, newer.event) }
  }
  return newer
}

/** The text of a notification. */
export function toPayload(envelope: Envelope): string {
  return JSON.stringify(envelope)
}

/** The same envelope if it is short enough for a notification, else one that says "read again". */
export function fitting(envelope: Envelope): Envelope {
  if (envelope.topic === 'filesChanged') return { ...envelope, event: bounded(envelope.event) }
  if (envelope.topic === 'accountsChanged') return { ...envelope, event: boundedAccounts(envelope.event) }
  return envelope
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

function boundedAccounts(event: AccountsChanged): AccountsChanged {
  return event.accountIds === null || event.accountIds.length <= MOST_IDS ? event : ALL_ACCOUNTS
}
