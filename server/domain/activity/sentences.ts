import type pg from 'pg'
import { clientName } from '../../lib/clientName.ts'
import type { Viewer } from '../viewer.ts'
import type { Action, Actor, ActorKind } from './contract.ts'

/** The actor as recorded; `id` is that of the session or key. */
export type NamedActor = {
  readonly kind: ActorKind
  readonly id: string | null
  readonly name: string
  readonly address: string
}

export type ActorNames = {
  /** Reads the sessions and keys that are not cached yet, in one statement. Names of deleted ones stay cached. */
  learn(viewers: readonly Viewer[]): Promise<void>
  of(actor: Actor): NamedActor
}

const KNOWN = 1_000

const LOOK_UP = {
  name: 'activity-actors',
  text: `select id, user_agent as name, address, false as is_key from sessions where id = any($1::uuid[])
    union all select id, name, '' as address, true as is_key from api_keys where id = any($2::uuid[])`,
}

type Row = { readonly id: string; readonly name: string; readonly address: string; readonly is_key: boolean }

/** Names of sessions and keys, with a cache of the most recent ones. */
export function createActorNames(pool: pg.Pool): ActorNames {
  const known = new Map<string, NamedActor>()

  const remember = (actor: NamedActor & { readonly id: string }): void => {
    known.set(actor.id, actor)
    const [oldest] = known.keys()
    if (known.size > KNOWN && oldest !== undefined) known.delete(oldest)
  }

  return {
    async learn(viewers) {
      const unknown = viewers.filter((viewer) => !known.has(idOf(viewer) ?? ''))
      if (unknown.length === 0) return
      const sessions = unknown.flatMap(({ sessionId }) => sessionId ?? [])
      const keys = unknown.flatMap(({ key }) => key?.id ?? [])
      const { rows } = await pool.query<Row>({ ...LOOK_UP, values: [sessions, keys] })
      for (const { id, name, address, is_key } of rows) {
        remember({ kind: is_key ? 'KEY' : 'SESSION', id, name: is_key ? name : clientName(name), address })
      }
    },
    of(actor) {
      if (actor.kind === 'SYSTEM') return { kind: 'SYSTEM', id: null, name: 'Skypool', address: '' }
      if (actor.kind !== 'VIEWER') return visitor(actor)
      const id = idOf(actor.viewer)
      return known.get(id ?? '') ?? unknownActor(actor.viewer, id)
    },
  }
}

function idOf({ key, sessionId }: Viewer): string | null {
  return key?.id ?? sessionId
}

function visitor({ address, userAgent }: { address: string; userAgent: string }): NamedActor {
  const name = userAgent === '' ? 'A visitor' : `A visitor (${clientName(userAgent)})`
  return { kind: 'VISITOR', id: null, name, address }
}

/** The session ended before its name was read. */
function unknownActor({ key }: Viewer, id: string | null): NamedActor {
  return key
    ? { kind: 'KEY', id, name: 'An API key', address: '' }
    : { kind: 'SESSION', id, name: 'A browser', address: '' }
}

/** The columns that a sentence is made of. */
export type SentenceData = {
  readonly actorKind: ActorKind
  readonly actorName: string
  readonly subjectName: string
  readonly count: number
  readonly details: Readonly<Record<string, string>>
}

type Sentence = (data: SentenceData) => string

const quoted = (name: string): string => `“${name}”`

/** The actor, from the owner's point of view. */
function actorText({ actorKind, actorName }: SentenceData): string {
  if (actorKind === 'SESSION') return 'You'
  if (actorKind === 'KEY') return `The key ${quoted(actorName)}`
  return actorKind === 'VISITOR' ? 'A visitor' : 'Skypool'
}

function subjectText({ subjectName, count }: SentenceData): string {
  if (count === 1) return quoted(subjectName)
  if (subjectName === '') return `${count} items`
  return `${quoted(subjectName)} and ${count === 2 ? 'one other' : `${count - 1} others`}`
}

function filesText(data: SentenceData): string {
  return data.count === 1 ? quoted(data.subjectName) : `${data.count} files`
}

/** `verb “a.txt”`, followed by other details. */
const sentence =
  (verb: string, rest: (details: SentenceData['details']) => string = () => ''): Sentence =>
  (data) =>
    `${actorText(data)} ${verb} ${subjectText(data)}${rest(data.details)}.`

const quotedDetail = (detail: string, before: string) => (details: SentenceData['details']) =>
  details[detail] === undefined ? '' : ` ${before} ${quoted(details[detail])}`

const movedTo = (verb: string): Sentence =>
  sentence(verb, ({ folder }) => ` to ${folder === undefined ? 'My Drive' : quoted(folder)}`)

const provider = (details: SentenceData['details']): string =>
  details.provider === undefined ? '' : ` (${details.provider})`

function changedAccount(data: SentenceData): string {
  const { from, to } = data.details
  if (from !== undefined && to !== undefined && from !== to) {
    return `${actorText(data)} renamed the account ${quoted(from)} to ${quoted(to)}.`
  }
  return `${actorText(data)} changed the colour of ${quoted(data.subjectName)}.`
}

function choseContent(data: SentenceData): string {
  const { scope, shown, hidden } = data.details
  const chose = [
    ...(scope === 'EVERYTHING' ? ['to show everything'] : []),
    ...(scope === 'OWN' ? ['to show only what Skypool stores'] : []),
    ...(shown === undefined ? [] : [`to show ${shown}`]),
    ...(hidden === undefined ? [] : [`to hide ${hidden}`]),
  ]
  return `${actorText(data)} chose ${chose.join(' and ')} in ${quoted(data.subjectName)}.`
}

function drained(data: SentenceData): string {
  const { groupCloud, draining } = data.details
  const of = groupCloud === undefined ? '' : ` in ${quoted(groupCloud)}`
  const verb = draining === 'false' ? 'stopped emptying' : 'started emptying'
  return `${actorText(data)} ${verb} ${quoted(data.subjectName)}${of}.`
}

function endedSessions(data: SentenceData): string {
  if (data.count > 1) return `${actorText(data)} signed out ${data.count} other sessions.`
  return `${actorText(data)} signed out ${data.subjectName === '' ? 'another session' : quoted(data.subjectName)}.`
}

/** The fixed reasons that visitors can report a share for; free text of strangers is not logged. */
const REPORTED: Readonly<Record<string, string>> = {
  ILLEGAL: 'illegal content',
  MALWARE: 'harmful software',
  PRIVACY: 'private information',
  OTHER: 'another reason',
}

const SENTENCES: Readonly<Record<Action, Sentence>> = {
  FILE_UPLOADED: (data) =>
    `${actorText(data)} uploaded ${filesText(data)}${quotedDetail('folder', 'to')(data.details)}.`,
  FILE_DOWNLOADED: sentence('downloaded'),
  FILE_RENAMED: ({ details, ...data }) =>
    `${actorText({ details, ...data })} renamed ${quoted(details.from ?? data.subjectName)} to ${quoted(details.to ?? data.subjectName)}.`,
  FILE_MOVED: movedTo('moved'),
  FILE_MOVED_TO_GROUP_CLOUD: sentence('moved', quotedDetail('groupCloud', 'to the group cloud')),
  FILE_COPIED: movedTo('copied'),
  FILE_STARRED: sentence('starred'),
  FILE_UNSTARRED: sentence('unstarred'),
  FILE_TRASHED: sentence('moved', () => ' to the trash'),
  FILE_RESTORED: sentence('restored'),
  FILE_DELETED: sentence('deleted', () => ' permanently'),
  TRASH_EMPTIED: (data) =>
    `${actorText(data)} emptied the trash (${data.count === 1 ? 'one entry' : `${data.count} entries`}).`,
  FOLDER_CREATED: (data) =>
    `${actorText(data)} created the folder ${quoted(data.subjectName)}${quotedDetail('folder', 'in')(data.details)}.`,
  FOLDER_PROTECTED: sentence('protected', quotedDetail('groupCloud', 'with copies in')),
  FOLDER_UNPROTECTED: sentence('ended the protection of'),
  VERSION_RESTORED: sentence('restored an earlier version of'),
  SHARE_CREATED: sentence('shared'),
  SHARE_CHANGED: sentence('changed the link to'),
  SHARE_REVOKED: sentence('revoked the link to'),
  SHARE_OPENED: sentence('opened your link to'),
  SHARE_DOWNLOADED: (data) => `${actorText(data)} downloaded ${subjectText(data)} through your link.`,
  SHARE_PASSWORD_REFUSED: sentence('entered a wrong password for your link to'),
  SHARE_REPORTED: ({ details, ...data }) =>
    `A visitor reported your link to ${subjectText({ details, ...data })}: ${REPORTED[details.reason ?? ''] ?? 'another reason'}.`,
  SHARE_UNAVAILABLE: (data) => `Your link to ${subjectText(data)} could not be served: none of its copies can be read.`,
  ACCOUNT_CONNECTED: sentence('connected', provider),
  ACCOUNT_RECONNECTED: sentence('re-connected', provider),
  ACCOUNT_CHANGED: changedAccount,
  ACCOUNT_CONTENT_CHOSEN: choseContent,
  ACCOUNT_EXPIRED: (data) => `The connection to ${quoted(data.subjectName)} has expired.`,
  ACCOUNT_DISCONNECTED: sentence('disconnected', provider),
  GROUP_CLOUD_CREATED: sentence('created the group cloud'),
  GROUP_CLOUD_CHANGED: (data) =>
    data.details.from === undefined
      ? `${actorText(data)} changed the group cloud ${quoted(data.subjectName)}.`
      : `${actorText(data)} renamed the group cloud ${quoted(data.details.from)} to ${quoted(data.subjectName)}.`,
  GROUP_CLOUD_DELETED: sentence('deleted the group cloud'),
  MEMBER_DRAINED: drained,
  TRANSFER_CANCELLED: sentence('cancelled a transfer of'),
  KEY_CREATED: sentence('created the API key'),
  KEY_REGENERATED: sentence('replaced the API key'),
  KEY_REVOKED: sentence('revoked the API key'),
  SIGNED_UP: () => 'You signed up.',
  SIGNED_IN: ({ actorName }) => `You signed in with ${actorName}.`,
  SIGN_IN_REFUSED: () => 'Someone tried to sign in with a wrong password.',
  SIGNED_OUT: () => 'You signed out.',
  SESSION_ENDED: endedSessions,
  NAME_CHANGED: ({ details }) =>
    details.to === undefined ? 'You changed your name.' : `You changed your name to ${quoted(details.to)}.`,
  PASSWORD_CHANGED: () => 'You changed your password.',
  PASSWORD_RESET_ASKED: () => 'Someone requested a new password.',
  PASSWORD_RESET: () => 'Your password was reset by e-mail.',
}

/** One sentence for the owner of the log. */
export function sentenceOf(action: Action, data: SentenceData): string {
  return SENTENCES[action](data)
}
