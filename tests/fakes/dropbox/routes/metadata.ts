import type { z } from 'zod'
import { ARGS } from '../args.ts'
import { type Call, type Route, route } from '../call.ts'
import { refused } from '../errors.ts'
import { inPath, lookUp, meantBy } from '../lookup.ts'
import { deletedMetadata, folderMetadata, metadataOf, timestamp } from '../metadata.ts'
import type { Entry, FolderEntry, User } from '../model.ts'
import { fold, isInside, isWellFormed } from '../paths.ts'
import { takeWriteLock } from '../save.ts'
import { holding, type Tagged, tag } from '../tags.ts'
import {
  descendantsOf,
  findEntry,
  hasRoomFor,
  isReadOnly,
  newId,
  newRev,
  putEntry,
  takeEntry,
  withParents,
} from '../tree.ts'
import { checkPlace, nextFree, WriteRefused, writing } from '../write.ts'

const MAX_RELOCATED = 10_000
const WRITE = 'files.content.write'

export const METADATA_ROUTES: Readonly<Record<string, Route>> = {
  'files/get_metadata': route('rpc', 'files.metadata.read', ARGS.getMetadata, getMetadata),
  'files/create_folder_v2': route('rpc', WRITE, ARGS.createFolder, createFolder),
  'files/delete_v2': route('rpc', WRITE, ARGS.remove, remove),
  'files/move_v2': route('rpc', WRITE, ARGS.relocation, move),
  'files/copy_v2': route('rpc', WRITE, ARGS.relocation, copy),
}

function getMetadata({ user }: Call, args: z.output<typeof ARGS.getMetadata>): Tagged {
  const gone = user.formerPaths.get(fold(meantBy(user, args.path) ?? ''))
  return args.include_deleted && gone ? deletedMetadata(gone) : metadataOf(lookUp(user, args.path))
}

function createFolder(call: Call, args: z.output<typeof ARGS.createFolder>): object {
  const { user } = call
  takeWriteLock(call)
  const folder = writing(inPath, () => {
    const wanted = meantBy(user, args.path) ?? ''
    checkPlace(user, wanted)
    const existing = findEntry(user, wanted)
    if (existing && !args.autorename) throw new WriteRefused(tag('conflict', existing.kind))
    const path = withParents(user, existing ? nextFree(user, wanted) : wanted)
    const made: FolderEntry = { kind: 'folder', id: newId(), path }
    putEntry(user, made)
    return made
  })
  return { metadata: folderMetadata(folder) }
}

async function remove(call: Call, args: z.output<typeof ARGS.remove>): Promise<object> {
  const { user } = call
  takeWriteLock(call)
  if (meantBy(user, args.path) === '/') throw refused(holding('path_lookup', tag('malformed_path')))
  const entry = lookUp(user, args.path, (reason) => holding('path_lookup', reason))
  if (args.parent_rev && !(entry.kind === 'file' && entry.rev === args.parent_rev))
    throw refused(tag('path_write', 'conflict', entry.kind))
  if (isReadOnly(user, entry.path)) throw refused(tag('path_write', 'no_write_permission'))
  const metadata = metadataOf(entry)
  for (const file of takeEntry(user, entry)) await file.content.bytes.letGo()
  return { metadata }
}

type Relocation = z.output<typeof ARGS.relocation>
type Plan = { readonly from: Entry; readonly all: readonly Entry[]; readonly to: string }

function move(call: Call, args: Relocation): object {
  const { user, state } = call
  const { from, all, to } = planned(call, args)
  if (isReadOnly(user, from.path)) throw refused(tag('from_write', 'no_write_permission'))
  takeEntry(user, from)
  const moved = all.map((entry) => ({ ...entry, path: to + entry.path.slice(from.path.length) }))
  for (const entry of moved)
    putEntry(user, { ...entry, path: withParents(user, entry.path), ...renewed(entry, state.now()) })
  return { metadata: metadataOf(findEntry(user, to) ?? from) }
}

function copy(call: Call, args: Relocation): object {
  const { user, state } = call
  const { from, all, to } = planned(call, args)
  const bytes = all.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.content.bytes.size : 0), 0)
  if (call.exchange.take('full') || !hasRoomFor(user, bytes)) throw refused(tag('insufficient_quota'))
  for (const entry of all) {
    const path = withParents(user, to + entry.path.slice(from.path.length))
    if (entry.kind === 'file') entry.content.bytes.keep()
    putEntry(user, { ...entry, path, id: newId(), sharing: undefined, ...renewed(entry, state.now()) })
  }
  return { metadata: metadataOf(findEntry(user, to) ?? from) }
}

/** A file gets a new revision where it arrives. */
function renewed(entry: Entry, now: number): object {
  return entry.kind === 'file' ? { rev: newRev(), serverModified: timestamp(now) } : {}
}

/** What goes where, or why it may not. */
function planned(call: Call, args: Relocation): Plan {
  const { user } = call
  takeWriteLock(call)
  const from = lookUp(user, args.from_path, (reason) => holding('from_lookup', reason))
  const to = writing(
    (reason) => holding('to', reason),
    () => target(user, from, args),
  )
  const all = from.kind === 'folder' ? [from, ...descendantsOf(user, from.path)] : [from]
  if (all.length > MAX_RELOCATED) throw refused(tag('too_many_files'))
  return { from, all, to }
}

function target(user: User, from: Entry, args: Relocation): string {
  const wanted = meantBy(user, args.to_path)
  if (wanted === null || !isWellFormed(wanted)) throw new WriteRefused(tag('malformed_path'))
  if (fold(wanted) === fold(from.path)) throw refused(tag('duplicated_or_nested_paths'))
  if (isInside(fold(wanted), fold(from.path))) throw refused(tag('cant_move_folder_into_itself'))
  checkPlace(user, wanted)
  const existing = findEntry(user, wanted)
  if (existing && !args.autorename) throw new WriteRefused(tag('conflict', existing.kind))
  return existing ? nextFree(user, wanted) : wanted
}
