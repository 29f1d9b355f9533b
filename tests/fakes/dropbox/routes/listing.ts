import { ARGS, type ListFolderArg } from '../args.ts'
import { type Call, type Route, route } from '../call.ts'
import { type Cursor, decodeCursor, encodeCursor } from '../cursor.ts'
import { badInput, type DropboxError, refused } from '../errors.ts'
import { pageAt } from '../listing.ts'
import { lookUpFolder } from '../lookup.ts'
import { fold } from '../paths.ts'
import { type Tagged, tag } from '../tags.ts'

const SCOPE = 'files.metadata.read'
const USUAL_LIMIT = 500

export const LISTING_ROUTES: Readonly<Record<string, Route>> = {
  'files/list_folder': route('rpc', SCOPE, ARGS.listFolder, (call, args) => answer(call, beginning(call, args))),
  'files/list_folder/continue': route('rpc', SCOPE, ARGS.cursor, (call, args) =>
    answer(call, cursorOf(call, args.cursor)),
  ),
  'files/list_folder/get_latest_cursor': route('rpc', SCOPE, ARGS.listFolder, (call, args) => ({
    cursor: encodeCursor({ ...beginning(call, args), after: null }),
  })),
}

function beginning({ user, state }: Call, args: ListFolderArg): Cursor {
  return {
    uid: user.uid,
    folder: fold(lookUpFolder(user, args.path)),
    recursive: args.recursive,
    includeDeleted: args.include_deleted,
    limit: args.limit ?? USUAL_LIMIT,
    after: '',
    known: user.changes.length,
    epoch: state.settings.cursorEpoch,
  }
}

function cursorOf({ user, state, operation }: Call, text: string): Cursor {
  const cursor = decodeCursor(text)
  if (!cursor || cursor.uid !== user.uid) throw badCursor(operation)
  if (cursor.epoch !== state.settings.cursorEpoch) throw refused(tag('reset'))
  if (cursor.folder !== '' && !user.entries.has(cursor.folder)) throw refused(tag('path', 'not_found'))
  return cursor
}

export function badCursor(operation: string): DropboxError {
  return badInput(operation, 'Invalid "cursor" parameter: u\'Invalid cursor\'')
}

function answer({ user, exchange }: Call, cursor: Cursor): object {
  const { entries, next, hasMore } = pageAt(user, cursor)
  const stale = exchange.take('staleList') ? withoutNewest(entries, user.lastWrite) : entries
  const shown = exchange.take('duplicate') ? [...stale, ...stale.slice(0, 1)] : stale
  return { entries: shown, cursor: encodeCursor(next), has_more: hasMore }
}

/** As a list was before the last of its entries was written. */
function withoutNewest(entries: readonly Tagged[], lastWrite: ReadonlyMap<string, number>): readonly Tagged[] {
  const ages = entries.map((entry) => lastWrite.get(String(entry.path_lower)) ?? -1)
  const newest = ages.indexOf(Math.max(...ages))
  return entries.filter((_, index) => index !== newest)
}
