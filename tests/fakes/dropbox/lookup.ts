import { refused } from './errors.ts'
import type { Entry, FileEntry, User } from './model.ts'
import { isWellFormed } from './paths.ts'
import { holding, type Tagged, tag } from './tags.ts'
import { findById, findEntry } from './tree.ts'

/** How a route wraps a LookupError: 'path', 'from_lookup', … */
type Wrap = (reason: Tagged) => Tagged

export const inPath: Wrap = (reason) => holding('path', reason)

/** The path that is meant by any of the forms of a path; null when an id, revision or namespace is not known. */
export function meantBy(user: User, path: string): string | null {
  const [, kind, id = '', rest = ''] = /^(id:|rev:|ns:)([^/]*)(\/.*)?$/s.exec(path) ?? []
  if (kind === undefined) return path
  if (kind === 'ns:') return id === user.homeNamespace || id === user.rootNamespace ? rest : null
  const entry = kind === 'id:' ? findById(user, `id:${id}`) : findRevision(user, id)
  return entry ? entry.path + rest : null
}

function findRevision(user: User, rev: string): Entry | undefined {
  return [...user.entries.values()].find((entry) => entry.kind === 'file' && entry.rev === rev)
}

export function lookUp(user: User, path: string, wrap: Wrap = inPath): Entry {
  const meant = meantBy(user, path)
  if (meant !== null && !isWellFormed(meant)) throw refused(wrap(tag('malformed_path')))
  const entry = meant === null ? undefined : findEntry(user, meant)
  if (!entry) throw refused(wrap(tag('not_found')))
  return entry
}

export function lookUpFile(user: User, path: string): FileEntry {
  const entry = lookUp(user, path)
  if (entry.kind !== 'file') throw refused(inPath(tag('not_file')))
  return entry
}

/** A file that can be downloaded as it is. */
export function lookUpDownloadable(user: User, path: string): FileEntry {
  const file = lookUpFile(user, path)
  if (file.exportOptions) throw refused(tag('unsupported_file'))
  return file
}

/** The folder's path with its capitals; '' for the root. */
export function lookUpFolder(user: User, path: string): string {
  if (meantBy(user, path) === '') return ''
  const entry = lookUp(user, path)
  if (entry.kind !== 'folder') throw refused(inPath(tag('not_folder')))
  return entry.path
}
