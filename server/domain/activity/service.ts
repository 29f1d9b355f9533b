import type pg from 'pg'
import { clientName } from '../../lib/clientName.ts'
import type { FairSemaphore } from '../../lib/concurrency.ts'
import { createReadTurns, isShort, matching, wantedKey } from '../files/tree/listing.ts'
import { timeCursor } from '../timeCursor.ts'
import type { Viewer } from '../viewer.ts'
import type { Action, Activity, ActivityLog, ActivityService, Actor, ActorKind, SubjectType } from './contract.ts'

type ListOptions = Parameters<ActivityService['list']>[1]

export type ActivityDeps = {
  readonly pool: pg.Pool
  readonly log: Pick<ActivityLog, 'flush'>
  /** Limits reads that may take long, per user. */
  readonly turns?: FairSemaphore
}

type Row = {
  readonly id: string
  readonly at: Date
  readonly actor_kind: ActorKind
  readonly actor_name: string
  readonly address: string
  readonly action: Action
  readonly subject_type: SubjectType | null
  readonly subject_id: string | null
  readonly subject_name: string
  readonly count: number
  readonly details: Readonly<Record<string, string>>
}

/** Exported for the tests of its plan. */
export const CURSOR = timeCursor('activity')

/**
 * Reads the entries that `log` has written; waiting ones are written first, so that users find what they have just
 * done.
 */
export function createActivityService({ pool, log, turns = createReadTurns() }: ActivityDeps): ActivityService {
  return {
    async list(viewer, options) {
      await log.flush()
      const read = () => pool.query<Row>(listStatement(viewer, options))
      const { rows } = await (options.query === undefined ? read() : turns(viewer.userId, read))
      const items = rows
        .slice(0, options.limit)
        .map((row) => ({ activity: toActivity(row), cursor: CURSOR.encode(row) }))
      return { items, hasNextPage: rows.length > items.length }
    },
  }
}

/** One row more than requested shows whether there is another page. Exported for the tests of its plan. */
export function listStatement(viewer: Viewer, options: ListOptions): { text: string; values: unknown[] } {
  const values: unknown[] = [viewer.userId]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = ['user_id = $1', ...filtersOf(options, bind)]
  const place: string[] = []
  if (options.after !== undefined) {
    const { at, id } = CURSOR.decode(options.after)
    place.push(`(at, id) < (${bind(at)}::timestamptz, ${bind(id)}::uuid)`)
  }
  conditions.push(...place)
  const { with: first, from } = sourceOf(options, place, bind)
  const text = `${first}select id, at, actor_kind, actor_name, address, action, subject_type, subject_id, subject_name, count, details
    from ${from} where ${conditions.join(' and ')} order by at desc, id desc limit ${bind(options.limit + 1)}`
  return { text, values }
}

/** Number of newest entries read for a search of one or two letters, which the trigram index cannot find. */
const MOST_LOOKED_AT = 5_000

/**
 * For one file, its few entries are selected first. PostgreSQL has no statistics on rare array elements, does not know
 * that they are few, and would otherwise read the whole log from the newest entry.
 */
function sourceOf(
  { fileId, query }: ListOptions,
  place: readonly string[],
  bind: (value: unknown) => string,
): { with: string; from: string } {
  if (!fileId && isShort(wantedKey(query))) {
    const newest = `select * from activities where ${['user_id = $1', ...place].join(' and ')}
      order by at desc, id desc limit ${MOST_LOOKED_AT}`
    return { with: `with newest as materialized (${newest}) `, from: 'newest' }
  }
  if (!fileId) return { with: '', from: 'activities' }
  const ofFile = `select * from activities where file_ids @> array[${bind(fileId)}::uuid]`
  return { with: `with of_file as materialized (${ofFile}) `, from: 'of_file' }
}

function filtersOf({ query, actions, subjectId }: ListOptions, bind: (value: unknown) => string): string[] {
  const filters: string[] = []
  const wanted = wantedKey(query)
  if (wanted) filters.push(...matching(wanted, 'search_key', bind))
  if (actions) filters.push(`action = any(${bind(actions)}::text[])`)
  if (subjectId) filters.push(`subject_id = ${bind(subjectId)}`)
  return filters
}

function toActivity(row: Row): Activity {
  const data = {
    actorKind: row.actor_kind,
    actorName: row.actor_name,
    subjectName: row.subject_name,
    count: row.count,
    details: row.details,
  }
  return {
    ...data,
    id: row.id,
    at: row.at,
    address: row.address,
    action: row.action,
    subjectType: row.subject_type,
    subjectId: row.subject_id,
    sentence: sentenceOf(row.action, data),
  }
}

/** Rows per statement, so that the table is not locked for long. */
const BATCH = 5_000

const FORGET = `delete from activities where id in (
  select id from activities where at < now() - interval '1 year' order by at limit $1)`

/** Deletes entries older than a year. */
export async function forgetActivities(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { rowCount } = await pool.query(FORGET, [BATCH])
    if ((rowCount ?? 0) < BATCH) return
  }
}

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

type NameRow = { readonly id: string; readonly name: string; readonly address: string; readonly is_key: boolean }

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
      const { rows } = await pool.query<NameRow>({ ...LOOK_UP, values: [sessions, keys] })
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

function received(data: SentenceData): string {
  const { link, visitor } = data.details
  const from = visitor === undefined ? 'A visitor' : `A visitor named ${quoted(visitor)}`
  return `${from} sent ${filesText(data)}${link === undefined ? '' : ` through ${quoted(link)}`}.`
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
  FILE_TAGGED: sentence('tagged', quotedDetail('tags', 'with')),
  FILE_UNTAGGED: (data) =>
    `${actorText(data)} took ${data.details.tags === undefined ? 'a tag' : `the tag ${quoted(data.details.tags)}`} off ${filesText(data)}.`,
  FOLDER_COLORED: sentence('changed the colour of'),
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
  VERSION_DELETED: sentence('deleted an earlier version of'),
  FILE_EDITED: sentence('changed the content of'),
  SHARE_CREATED: sentence('shared'),
  SHARE_CHANGED: sentence('changed the link to'),
  SHARE_REVOKED: sentence('revoked the link to'),
  SHARE_OPENED: sentence('opened your link to'),
  SHARE_DOWNLOADED: (data) => `${actorText(data)} downloaded ${subjectText(data)} through your link.`,
  SHARE_PASSWORD_REFUSED: sentence('entered a wrong password for your link to'),
  SHARE_REPORTED: ({ details, ...data }) =>
    `A visitor reported your link to ${subjectText({ details, ...data })}: ${REPORTED[details.reason ?? ''] ?? 'another reason'}.`,
  UPLOAD_LINK_CREATED: sentence('created the upload link'),
  UPLOAD_LINK_CHANGED: sentence('changed the upload link'),
  UPLOAD_LINK_REVOKED: sentence('ended the upload link'),
  UPLOAD_LINK_PASSWORD_REFUSED: sentence('entered a wrong password for your upload link'),
  FILE_RECEIVED: received,
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
