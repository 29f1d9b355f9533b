import type { CommitInfo } from './args.ts'
import { shortened } from './bytes.ts'
import type { Call } from './call.ts'
import { rateLimited } from './errors.ts'
import { meantBy } from './lookup.ts'
import { timestamp } from './metadata.ts'
import type { Content, FileEntry } from './model.ts'
import { contentHashOf } from './sessions.ts'
import { tag } from './tags.ts'
import { newId, newRev } from './tree.ts'
import { type Commit, commitFile, WriteRefused } from './write.ts'

/**
 * Saves a content as a file, with what is planned to go wrong. Takes the content over, unless it throws. What it
 * returns after `vanish` is a file that is nowhere.
 */
export async function save(call: Call, info: Omit<CommitInfo, 'content_hash'>, content: Content): Promise<FileEntry> {
  const { state, user, exchange } = call
  const commit = commitOf(call, info)
  takeWriteLock(call)
  if (exchange.take('full')) throw new WriteRefused(tag('insufficient_space'))
  if (exchange.take('vanish')) return vanished(call, commit, content)
  const short = exchange.take('truncate')
  const stored = short ? await cutShort(content, short.bytes ?? 1) : content
  const file = commitFile(user, commit, stored, state.now())
  if (file.content !== stored) await stored.bytes.letGo()
  return file
}

/** One write at a time in an account: another that comes meanwhile is sent away. */
export function takeWriteLock({ state, user }: Call): void {
  const now = state.now()
  if (now < user.lockedUntil) throw rateLimited(1, 'too_many_write_operations')
  user.lockedUntil = now + state.settings.writeLockMs
}

function commitOf({ user }: Call, info: Omit<CommitInfo, 'content_hash'>): Commit {
  const path = meantBy(user, info.path)
  if (path === null) throw new WriteRefused(tag('malformed_path'))
  return {
    path,
    mode: info.mode,
    autorename: info.autorename,
    strictConflict: info.strict_conflict,
    clientModified: info.client_modified ?? null,
  }
}

async function vanished({ state }: Call, commit: Commit, content: Content): Promise<FileEntry> {
  await content.bytes.letGo()
  const serverModified = timestamp(state.now())
  const clientModified = commit.clientModified ?? serverModified
  return { kind: 'file', id: newId(), path: commit.path, rev: newRev(), content, clientModified, serverModified }
}

async function cutShort({ bytes }: Content, lost: number): Promise<Content> {
  const part = shortened(bytes, Math.max(0, bytes.size - lost))
  return { bytes: part, contentHash: await contentHashOf(part) }
}
