import type pg from 'pg'
import { clientName } from '../../lib/clientName.ts'
import type { Viewer } from '../viewer.ts'
import type { Action, Actor, ActorKind } from './contract.ts'

/** Who is written down: `id` is the session's or key's. */
export type NamedActor = {
  readonly kind: ActorKind
  readonly id: string | null
  readonly name: string
  readonly address: string
}

export type ActorNames = {
  /** Looks up the sessions and keys that are not known yet, in one statement. What is gone keeps the name that was looked up before. */
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

/** Names of sessions and keys; those that were asked for lately are remembered. */
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

/** It ended before anything was written down of it. */
function unknownActor({ key }: Viewer, id: string | null): NamedActor {
  return key
    ? { kind: 'KEY', id, name: 'An API key', address: '' }
    : { kind: 'SESSION', id, name: 'A browser', address: '' }
}

/** What a sentence is made of. */
export type Said = {
  readonly actorKind: ActorKind
  readonly actorName: string
  readonly subjectName: string
  readonly count: number
  readonly details: Readonly<Record<string, string>>
}

type Sentence = (said: Said) => string

const quoted = (name: string): string => `“${name}”`

/** Who did it, as its owner would say. */
function who({ actorKind, actorName }: Said): string {
  if (actorKind === 'SESSION') return 'You'
  if (actorKind === 'KEY') return `The key ${quoted(actorName)}`
  return actorKind === 'VISITOR' ? 'A visitor' : 'Skypool'
}

function things({ subjectName, count }: Said): string {
  if (count === 1) return quoted(subjectName)
  if (subjectName === '') return `${count} things`
  return `${quoted(subjectName)} and ${count === 2 ? 'one other' : `${count - 1} others`}`
}

function files(said: Said): string {
  return said.count === 1 ? quoted(said.subjectName) : `${said.count} files`
}

/** `verb “a.txt”`, with what else there is to say after it. */
const did =
  (verb: string, rest: (details: Said['details']) => string = () => ''): Sentence =>
  (said) =>
    `${who(said)} ${verb} ${things(said)}${rest(said.details)}.`

const named = (detail: string, before: string) => (details: Said['details']) =>
  details[detail] === undefined ? '' : ` ${before} ${quoted(details[detail])}`

const wentTo = (verb: string): Sentence =>
  did(verb, ({ folder }) => ` to ${folder === undefined ? 'My Drive' : quoted(folder)}`)

const provider = (details: Said['details']): string => (details.provider === undefined ? '' : ` (${details.provider})`)

function changedAccount(said: Said): string {
  const { from, to } = said.details
  if (from !== undefined && to !== undefined && from !== to) {
    return `${who(said)} renamed the account ${quoted(from)} to ${quoted(to)}.`
  }
  return `${who(said)} changed the colour of ${quoted(said.subjectName)}.`
}

function drained(said: Said): string {
  const { groupCloud, draining } = said.details
  const of = groupCloud === undefined ? '' : ` in ${quoted(groupCloud)}`
  const begun = draining === 'false' ? 'stopped emptying' : 'began to empty'
  return `${who(said)} ${begun} ${quoted(said.subjectName)}${of}.`
}

function endedSessions(said: Said): string {
  if (said.count > 1) return `${who(said)} signed out ${said.count} other sessions.`
  return `${who(said)} signed out ${said.subjectName === '' ? 'another session' : quoted(said.subjectName)}.`
}

/** What visitors may say of a link; they choose, nobody's own text gets into a log. */
const REPORTED: Readonly<Record<string, string>> = {
  ILLEGAL: 'illegal content',
  MALWARE: 'harmful software',
  PRIVACY: 'private information',
  OTHER: 'another reason',
}

const SENTENCES: Readonly<Record<Action, Sentence>> = {
  FILE_UPLOADED: (said) => `${who(said)} uploaded ${files(said)}${named('folder', 'to')(said.details)}.`,
  FILE_DOWNLOADED: did('downloaded'),
  FILE_RENAMED: ({ details, ...said }) =>
    `${who({ details, ...said })} renamed ${quoted(details.from ?? said.subjectName)} to ${quoted(details.to ?? said.subjectName)}.`,
  FILE_MOVED: wentTo('moved'),
  FILE_MOVED_TO_GROUP_CLOUD: did('moved', named('groupCloud', 'to the group cloud')),
  FILE_COPIED: wentTo('copied'),
  FILE_STARRED: did('starred'),
  FILE_UNSTARRED: did('took the star from'),
  FILE_TRASHED: did('moved', () => ' to the trash'),
  FILE_RESTORED: did('restored'),
  FILE_DELETED: did('deleted', () => ' permanently'),
  TRASH_EMPTIED: (said) =>
    `${who(said)} emptied the trash (${said.count === 1 ? 'one entry' : `${said.count} entries`}).`,
  FOLDER_CREATED: (said) =>
    `${who(said)} made the folder ${quoted(said.subjectName)}${named('folder', 'in')(said.details)}.`,
  SHARE_CREATED: did('shared'),
  SHARE_CHANGED: did('changed the link to'),
  SHARE_REVOKED: did('took back the link to'),
  SHARE_OPENED: did('opened your link to'),
  SHARE_DOWNLOADED: (said) => `${who(said)} downloaded ${things(said)} by your link.`,
  SHARE_PASSWORD_REFUSED: did('gave a wrong password for your link to'),
  SHARE_REPORTED: ({ details, ...said }) =>
    `A visitor reported your link to ${things({ details, ...said })}: ${REPORTED[details.reason ?? ''] ?? 'another reason'}.`,
  SHARE_UNAVAILABLE: (said) => `Your link to ${things(said)} could not be served: none of its copies can be read.`,
  ACCOUNT_CONNECTED: did('connected', provider),
  ACCOUNT_RECONNECTED: did('re-connected', provider),
  ACCOUNT_CHANGED: changedAccount,
  ACCOUNT_EXPIRED: (said) => `The connection to ${quoted(said.subjectName)} has expired.`,
  ACCOUNT_DISCONNECTED: did('disconnected', provider),
  GROUP_CLOUD_CREATED: did('made the group cloud'),
  GROUP_CLOUD_CHANGED: (said) =>
    said.details.from === undefined
      ? `${who(said)} changed the group cloud ${quoted(said.subjectName)}.`
      : `${who(said)} renamed the group cloud ${quoted(said.details.from)} to ${quoted(said.subjectName)}.`,
  GROUP_CLOUD_DELETED: did('deleted the group cloud'),
  MEMBER_DRAINED: drained,
  TRANSFER_CANCELLED: did('gave up a copy of'),
  KEY_CREATED: did('made the API key'),
  KEY_REGENERATED: did('replaced the API key'),
  KEY_REVOKED: did('revoked the API key'),
  SIGNED_UP: () => 'You signed up.',
  SIGNED_IN: ({ actorName }) => `You signed in with ${actorName}.`,
  SIGN_IN_REFUSED: () => 'Somebody tried to sign in with a wrong password.',
  SIGNED_OUT: () => 'You signed out.',
  SESSION_ENDED: endedSessions,
  NAME_CHANGED: ({ details }) =>
    details.to === undefined ? 'You changed your name.' : `You changed your name to ${quoted(details.to)}.`,
  PASSWORD_CHANGED: () => 'You changed your password.',
  PASSWORD_RESET_ASKED: () => 'Somebody asked for a new password.',
  PASSWORD_RESET: () => 'Your password was reset by e-mail.',
}

/** One sentence for the owner of the log. */
export function sentenceOf(action: Action, said: Said): string {
  return SENTENCES[action](said)
}
