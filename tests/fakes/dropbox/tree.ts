import { randomBytes } from 'node:crypto'
import type { Entry, FileEntry, Sharing, User } from './model.ts'
import { ancestorsOf, fold, nameOf, parentOf } from './paths.ts'

export function findEntry(user: User, path: string): Entry | undefined {
  return user.entries.get(fold(path))
}

export function findById(user: User, id: string): Entry | undefined {
  const key = user.byId.get(id)
  return key === undefined ? undefined : user.entries.get(key)
}

export function childrenOf(user: User, path: string): Entry[] {
  const keys = [...(user.children.get(fold(path)) ?? [])].sort()
  return keys.flatMap((key) => user.entries.get(key) ?? [])
}

/** All below a folder, each folder before what it holds. */
export function descendantsOf(user: User, path: string): Entry[] {
  return childrenOf(user, path).flatMap((child) =>
    child.kind === 'folder' ? [child, ...descendantsOf(user, child.path)] : [child],
  )
}

export function hasFileAbove(user: User, path: string): boolean {
  return ancestorsOf(path).some((ancestor) => findEntry(user, ancestor)?.kind === 'file')
}

/** The path with the capitals its folders have; creates the folders that are missing. */
export function withParents(user: User, path: string): string {
  let parent = ''
  for (const ancestor of ancestorsOf(path)) {
    const existing = findEntry(user, ancestor)
    const display = existing?.path ?? `${parent}/${nameOf(ancestor)}`
    if (!existing) putEntry(user, { kind: 'folder', id: newId(), path: display })
    parent = display
  }
  return `${parent}/${nameOf(path)}`
}

/** Puts an entry in place of whatever was there, and says so to those who watch. Its folder exists. */
export function putEntry(user: User, given: Entry): void {
  const key = fold(given.path)
  const entry = given.sharing?.isMount ? given : { ...given, sharing: inheritedSharing(user, given.path) }
  user.usedBytes += sizeOf(entry) - sizeOf(user.entries.get(key))
  const replaced = user.entries.get(key)
  if (replaced && replaced.id !== entry.id) user.byId.delete(replaced.id)
  user.entries.set(key, entry)
  user.byId.set(entry.id, key)
  user.formerPaths.delete(key)
  siblings(user, key).add(key)
  announce(user, key, entry.path, true)
}

function inheritedSharing(user: User, path: string): Sharing | undefined {
  const sharing = findEntry(user, parentOf(path))?.sharing
  return sharing && { ...sharing, isMount: false }
}

/** Whether a shared folder that the user may only read contains the path. */
export function isReadOnly(user: User, path: string): boolean {
  return findEntry(user, parentOf(path))?.sharing?.readOnly === true
}

/** Takes out an entry with all below it: one change. The content of the files is the caller's to let go. */
export function takeEntry(user: User, entry: Entry): FileEntry[] {
  const taken = entry.kind === 'folder' ? [entry, ...descendantsOf(user, entry.path)] : [entry]
  for (const each of taken.toReversed()) forget(user, each)
  announce(user, fold(entry.path), entry.path, false)
  return taken.filter((each) => each.kind === 'file')
}

function forget(user: User, entry: Entry): void {
  const key = fold(entry.path)
  user.entries.delete(key)
  user.byId.delete(entry.id)
  user.children.delete(key)
  siblings(user, key).delete(key)
  user.formerPaths.set(key, entry.path)
  user.usedBytes -= sizeOf(entry)
}

function siblings(user: User, key: string): Set<string> {
  const parent = parentOf(key)
  const known = user.children.get(parent) ?? new Set()
  user.children.set(parent, known)
  return known
}

function announce(user: User, key: string, path: string, exists: boolean): void {
  if (exists) user.lastWrite.set(key, user.changes.length)
  user.changes.push({ key, path, exists })
  for (const wake of [...user.waiting]) wake()
}

function sizeOf(entry: Entry | undefined): number {
  return entry?.kind === 'file' ? entry.content.bytes.size : 0
}

export function hasRoomFor(user: User, bytes: number): boolean {
  const used = user.usedBytes + user.usedByOthersBytes + bytes
  if (!user.team) return user.quotaBytes === null || used <= user.quotaBytes
  const { memberAllocated, allocated, used: usedByTeam } = user.team
  return usedByTeam + used <= allocated && (memberAllocated === 0 || used <= memberAllocated)
}

export function newId(): string {
  return `id:${randomBytes(15).toString('base64url')}AA`
}

/** Revisions grow, as the service's do. */
export function newRev(): string {
  lastRev += 1
  return `${lastRev.toString(16).padStart(9, '0')}${randomBytes(4).toString('hex')}`
}

let lastRev = 0x5f0000000
