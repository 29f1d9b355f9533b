import type { drive_v3 } from 'googleapis/build/src/apis/drive/index.js'
import { type Call, type Change, type ChangePage, type EntryRef, SHARED_WITH_ME } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import type { DriveContext } from './client.ts'
import { entryOf, FILE_FIELDS } from './entry.ts'
import { ALL_DRIVES, stat, statRoot } from './files.ts'

/** Instead of a page token: of an extra root without a separate feed, and of a shared drive that is gone. */
const SEEN = '-'
const GONE = 'gone'

/**
 * Page tokens. Drive has a feed for the account and what others share with it, and one for each shared drive. As text: the account's
 * token, then `ref=token` for each extra root, separated by spaces; without extra roots the token alone.
 */
type Place = { readonly own: string; readonly roots: ReadonlyMap<EntryRef, string> }

/** Driver.changes: one page of each feed. */
export async function changes(
  context: DriveContext,
  call: Call,
  cursor: string | null,
  extraRoots: readonly EntryRef[] = [],
): Promise<ChangePage> {
  const place = cursor === null ? { own: await startToken(context, call, null), roots: new Map() } : readPlace(cursor)
  const pages = [cursor === null ? startOf(place.own) : await readFeed(context, call, place.own, null)]
  const roots = new Map<EntryRef, string>()
  for (const ref of extraRoots) {
    const page = await readRoot(context, call, ref, place.roots.get(ref) ?? null)
    roots.set(ref, page.cursor)
    // From now on: what was there before is listed by the caller.
    pages.push(cursor === null ? { ...page, changes: [] } : page)
  }
  const all = pages.flatMap((page) => page.changes)
  return {
    changes: extraRoots.some((ref) => ref !== SHARED_WITH_ME) ? await checkGone(context, call, all) : all,
    cursor: textOf({ own: pages[0]?.cursor ?? place.own, roots }),
    hasMore: pages.some(({ hasMore }) => hasMore),
  }
}

/** What moves between the account and a shared drive is gone from one feed, perhaps later than it appears in the other one. */
async function checkGone({ client }: DriveContext, call: Call, changes: readonly Change[]): Promise<readonly Change[]> {
  const checked: Change[] = []
  for (const change of changes) {
    const isDoubtful = change.ref !== null && change.entry === null && change.kind === undefined
    const entry = isDoubtful ? await stat(client, call, change.ref).catch(nothingWhen('NotFound')) : null
    checked.push(entry && change.ref !== null ? { ref: change.ref, entry } : change)
  }
  return checked
}

const startOf = (token: string): ChangePage => ({ changes: [], cursor: token, hasMore: false })

function textOf({ own, roots }: Place): string {
  return [own, ...[...roots].map(([ref, token]) => `${ref}=${token}`)].join(' ')
}

function readPlace(text: string): Place {
  const [own = '', ...roots] = text.split(' ')
  const entryOfText = (one: string) => {
    const at = one.indexOf('=')
    return [one.slice(0, at) as EntryRef, one.slice(at + 1)] as const
  }
  return { own, roots: new Map(roots.map(entryOfText)) }
}

/** `token` null: the root is not known yet. */
async function readRoot(context: DriveContext, call: Call, ref: EntryRef, token: string | null): Promise<ChangePage> {
  if (ref === SHARED_WITH_ME) {
    const changes = token === null ? [{ ref, entry: await statRoot(context.client, call, ref) }] : []
    return { changes, cursor: SEEN, hasMore: false }
  }
  if (token === null || token === GONE) return findDrive(context, call, ref, token)
  try {
    return await readFeed(context, call, token, ref)
  } catch (error) {
    const isGone = isFailure(error, 'CursorReset') && (await isDriveGone(context, call, ref))
    if (!isGone) throw error
    return { changes: [{ ref, entry: null, kind: 'folder' }], cursor: GONE, hasMore: false }
  }
}

/** Starts the feed of a shared drive, if the user can see it. The token is older than what is listed next. */
async function findDrive(context: DriveContext, call: Call, ref: EntryRef, known: string | null): Promise<ChangePage> {
  const token = await startToken(context, call, ref).catch(nothingWhen('NotFound'))
  if (token !== null) {
    return { changes: [{ ref, entry: await statRoot(context.client, call, ref) }], cursor: token, hasMore: false }
  }
  const changes: Change[] = known === GONE ? [] : [{ ref, entry: null, kind: 'folder' }]
  return { changes, cursor: GONE, hasMore: false }
}

async function isDriveGone({ client }: DriveContext, call: Call, ref: EntryRef): Promise<boolean> {
  return (await statRoot(client, call, ref).catch(nothingWhen('NotFound'))) === null
}

async function startToken({ client }: DriveContext, call: Call, driveId: EntryRef | null): Promise<string> {
  const place = driveId === null ? {} : { driveId, ...ALL_DRIVES }
  const { startPageToken } = await client.ask(call, 'changes', (api, options) =>
    api.changes.getStartPageToken(place, options),
  )
  return startPageToken ?? ''
}

async function readFeed(
  { client, limits }: DriveContext,
  call: Call,
  pageToken: string,
  driveId: EntryRef | null,
): Promise<ChangePage> {
  const fields = `nextPageToken,newStartPageToken,changes(changeType,fileId,removed,file(${FILE_FIELDS}))`
  const place = driveId === null ? {} : { driveId, ...ALL_DRIVES, includeItemsFromAllDrives: true }
  const page = await client
    .ask(call, 'changes', (api, options) =>
      api.changes.list({ pageToken, fields, pageSize: limits.pageSize, ...place }, options),
    )
    .catch((error: unknown) => {
      throw cursorError(error)
    })
  const cursor = page.nextPageToken ?? page.newStartPageToken ?? pageToken
  const changes = (page.changes ?? []).flatMap(changeOf)
  const isRenamed = driveId !== null && page.changes?.some(({ changeType }) => changeType === 'drive')
  const root = isRenamed ? [{ ref: driveId, entry: await statRoot(client, call, driveId) }] : []
  return { changes: [...changes, ...root], cursor, hasMore: Boolean(page.nextPageToken) }
}

/** For an expired page token, or one of another user, Drive responds with not found. */
export function cursorError(error: unknown): unknown {
  return isFailure(error, 'NotFound') ? new ProviderError('CursorReset', error.where, error.detail) : error
}

/** Files in the trash are treated as deleted. Changes of a shared drive itself have no file. */
function changeOf(change: drive_v3.Schema$Change): readonly Change[] {
  if (!change.fileId || change.file?.driveId === change.fileId) return []
  const ref = change.fileId as EntryRef
  if (change.removed || !change.file) return [{ ref, entry: null }]
  const entry = entryOf(change.file)
  return [change.file.trashed ? { ref, entry: null, kind: entry.kind } : { ref, entry }]
}
