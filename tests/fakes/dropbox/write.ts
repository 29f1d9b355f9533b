import { refused } from './errors.ts'
import { timestamp } from './metadata.ts'
import type { Content, Entry, FileEntry, User } from './model.ts'
import { problemOf, withSuffix } from './paths.ts'
import { type Tagged, tag } from './tags.ts'
import { findEntry, hasFileAbove, hasRoomFor, isReadOnly, newId, newRev, putEntry, withParents } from './tree.ts'

export type Commit = {
  readonly path: string
  readonly mode: 'add' | 'overwrite' | { readonly update: string }
  readonly autorename: boolean
  readonly strictConflict: boolean
  readonly clientModified: string | null
}

/** A WriteError, which each route wraps in its own way. */
export class WriteRefused extends Error {
  readonly reason: Tagged

  constructor(reason: Tagged) {
    super(reason['.tag'])
    this.reason = reason
  }
}

/** Runs a write; what it refuses becomes the error that the route gives. */
export function writing<T>(wrap: (reason: Tagged) => Tagged, write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw error instanceof WriteRefused ? refused(wrap(error.reason)) : error
  }
}

/** Saves a content as a file, by the rules of WriteMode. The content is kept only when the answer is that file. */
export function commitFile(user: User, commit: Commit, content: Content, now: number): FileEntry {
  checkPlace(user, commit.path)
  const existing = findEntry(user, commit.path)
  const same = existing?.kind === 'file' && existing.content.contentHash === content.contentHash
  if (same && !commit.strictConflict) return existing
  const path = conflicts(existing, commit) ? freePath(user, commit, existing) : commit.path
  const replaced = findEntry(user, path)
  const before = replaced?.kind === 'file' ? replaced.content.bytes.size : 0
  if (!hasRoomFor(user, content.bytes.size - before)) throw new WriteRefused(tag('insufficient_space'))
  return putFile(user, { path, content, id: replaced?.id ?? newId(), clientModified: commit.clientModified }, now)
}

type NewFile = Pick<FileEntry, 'path' | 'content' | 'id' | 'exportOptions'> & { readonly clientModified: string | null }

export function putFile(user: User, file: NewFile, now: number): FileEntry {
  const replaced = findEntry(user, file.path)
  const entry: FileEntry = {
    kind: 'file',
    id: file.id,
    path: withParents(user, file.path),
    content: file.content,
    rev: newRev(),
    clientModified: file.clientModified ?? timestamp(now),
    serverModified: timestamp(now),
    exportOptions: file.exportOptions,
  }
  putEntry(user, entry)
  if (replaced?.kind === 'file') void replaced.content.bytes.letGo()
  return entry
}

/** Refuses a path that cannot be, or that would lie inside a file. */
export function checkPlace(user: User, path: string): void {
  const problem = problemOf(path)
  if (problem) throw new WriteRefused(tag(problem))
  if (hasFileAbove(user, path)) throw new WriteRefused(tag('conflict', 'file_ancestor'))
  if (isReadOnly(user, path)) throw new WriteRefused(tag('no_write_permission'))
}

function conflicts(existing: Entry | undefined, { mode, strictConflict }: Commit): boolean {
  if (!existing) return strictConflict && typeof mode === 'object'
  if (existing.kind === 'folder') return true
  if (mode === 'overwrite') return false
  return mode === 'add' || existing.rev !== mode.update
}

function freePath(user: User, commit: Commit, existing: Entry | undefined): string {
  if (!commit.autorename) throw new WriteRefused(tag('conflict', existing?.kind ?? 'file'))
  return nextFree(user, commit.path, typeof commit.mode === 'object' ? ' (conflicted copy)' : null)
}

/** The first of `a (1).txt`, `a (2).txt` … that is free. */
export function nextFree(user: User, path: string, first: string | null = null): string {
  if (first !== null && !findEntry(user, withSuffix(path, first))) return withSuffix(path, first)
  for (let number = 1; ; number += 1) {
    const candidate = withSuffix(path, ` (${number})`)
    if (!findEntry(user, candidate)) return candidate
  }
}
