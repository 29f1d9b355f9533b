import { Readable } from 'node:stream'
import type { Service } from '../core/service.ts'
import { receive, sha256Of } from './bytes.ts'
import type { Entry, Team, User } from './model.ts'
import { nameOf, problemOf } from './paths.ts'
import { contentHashOf } from './sessions.ts'
import { type Client, createUser, endGrantsOf, type NewUser, type State } from './state.ts'
import { findEntry, hasFileAbove, newId, putEntry, takeEntry, withParents } from './tree.ts'
import { putFile } from './write.ts'

type OfUser = { readonly user: string }
type AtPath = OfUser & { readonly path: string }
/** `text`, or `base64`, or so many bytes of a pattern that differs from place to place. */
type Content = { readonly text?: string; readonly base64?: string; readonly size?: number }

/** A file or folder of a user, as tests compare it. */
export type ListedObject = {
  readonly path: string
  readonly kind: Entry['kind']
  readonly id: string
  readonly size: number
  readonly rev: string | null
  readonly contentHash: string | null
  readonly sha256: string | null
}

/** What tests and the demo may ask of the service beside its API. */
export function createCommands(state: State): Service['commands'] {
  return { ...accountCommands(state), ...settingCommands(state), ...objectCommands(state) }
}

function accountCommands(state: State): Service['commands'] {
  return {
    addUser(input: NewUser) {
      if (!input.email || !input.name) throw new Error('addUser wants email and name.')
      const user = createUser({ ...input, quotaBytes: input.quotaBytes ?? null })
      state.users.set(user.email, user)
      return { email: user.email, accountId: user.accountId, uid: user.uid }
    },
    /** Any of quotaBytes, usedByOthersBytes, team, photoUrl, emailVerified, suspended, canSetExpiry, rootNamespace. */
    changeUser({ user, ...changes }: OfUser & Changes) {
      Object.assign(userOf(state, user), changes)
    },
    users: () => [...state.users.values()].map(({ email, name, accountId }) => ({ email, name, accountId })),
    revokeUser: ({ user }: OfUser) => endGrantsOf(state, userOf(state, user)),
    deleteAccount({ user }: OfUser) {
      endGrantsOf(state, userOf(state, user))
      state.users.delete(user)
    },
    /** All tokens that there are now; of one user when told. */
    expireAccessTokens({ user }: Partial<OfUser>) {
      for (const token of state.tokens.values())
        if (user === undefined || token.grant.user.email === user) token.expiresAt = 0
    },
    /** What the service still accepts. */
    liveTokens({ user }: OfUser) {
      const refresh = [...state.grants.values()].filter((grant) => grant.user.email === user && grant.refreshToken)
      const access = [...state.tokens.values()].filter(
        (token) => token.grant.user.email === user && token.expiresAt > state.now(),
      )
      return { refresh: refresh.length, access: access.length }
    },
  }
}

type Changes = Partial<
  Pick<
    User,
    'quotaBytes' | 'usedByOthersBytes' | 'photoUrl' | 'emailVerified' | 'suspended' | 'canSetExpiry' | 'rootNamespace'
  >
> & { readonly team?: Team | null }

function settingCommands(state: State): Service['commands'] {
  const { settings, clients } = state
  return {
    addClient(client: Client) {
      clients.set(client.id, client)
    },
    tokenLife({ seconds }: { readonly seconds: number }) {
      settings.tokenLifeSeconds = seconds
    },
    coop({ on }: { readonly on: boolean }) {
      settings.coop = on
    },
    /** Every cursor given so far is answered by `reset`. */
    resetCursors() {
      settings.cursorEpoch += 1
    },
    /** Every upload session so far is as good as a week old. */
    expireSessions() {
      state.sessions.clear()
    },
    writeLock({ ms }: { readonly ms: number }) {
      settings.writeLockMs = ms
    },
  }
}

/** Done as the user would, past every app. */
function objectCommands(state: State): Service['commands'] {
  return {
    async plant({ user, path, ...content }: AtPath & Content) {
      return listed(await store(state, userOf(state, user), path, content))
    },
    /** `count` files named from 00000 on, in a folder. */
    async plantMany({ user, path, count, size }: AtPath & { readonly count: number; readonly size: number }) {
      for (let number = 0; number < count; number += 1) {
        await store(state, userOf(state, user), `${path}/${String(number).padStart(5, '0')}.bin`, { size })
      }
    },
    plantFolder({ user, path }: AtPath) {
      const owner = userOf(state, user)
      if (!findEntry(owner, path)) putEntry(owner, { kind: 'folder', id: newId(), path: withParents(owner, path) })
    },
    /** New content for a file that is there; its id stays. */
    async alter({ user, path, ...content }: AtPath & Content) {
      const owner = userOf(state, user)
      return listed(await store(state, owner, entryAt(owner, path).path, content))
    },
    rename({ user, path, to }: AtPath & { readonly to: string }) {
      const owner = userOf(state, user)
      const entry = entryAt(owner, path)
      if (entry.kind === 'folder' || findEntry(owner, to)) throw new Error('rename is for a file and a free path.')
      takeEntry(owner, entry)
      putEntry(owner, { ...entry, path: withParents(owner, to) })
    },
    async delete({ user, path }: AtPath) {
      const owner = userOf(state, user)
      for (const file of takeEntry(owner, entryAt(owner, path))) await file.content.bytes.letGo()
    },
    objects: ({ user, path = '' }: OfUser & { readonly path?: string }) => {
      const inside = [...userOf(state, user).entries.values()].filter((entry) => entry.path.startsWith(path))
      return Promise.all(inside.map(listed))
    },
    async read({ user, path }: AtPath) {
      const entry = entryAt(userOf(state, user), path)
      if (entry.kind === 'folder') throw new Error(`${nameOf(path)} is a folder.`)
      const chunks: Buffer[] = []
      for await (const chunk of entry.content.bytes.read(0, entry.content.bytes.size)) chunks.push(chunk)
      return { base64: Buffer.concat(chunks).toString('base64') }
    },
  }
}

function userOf(state: State, email: string): User {
  const user = state.users.get(email)
  if (!user) throw new Error(`There is no user ${email}.`)
  return user
}

function entryAt(user: User, path: string): Entry {
  const entry = findEntry(user, path)
  if (!entry) throw new Error(`${user.email} has nothing at ${path}.`)
  return entry
}

async function store(state: State, user: User, path: string, content: Content): Promise<Entry> {
  if (problemOf(path) || hasFileAbove(user, path)) throw new Error(`Nothing can be stored at ${path}.`)
  const bytes = await receive(state.blobs, Readable.from([contentOf(content)]))
  const file = { path, id: findEntry(user, path)?.id ?? newId(), clientModified: null }
  return putFile(user, { ...file, content: { bytes, contentHash: await contentHashOf(bytes) } }, state.now())
}

function contentOf({ text, base64, size = 0 }: Content): Buffer {
  if (text !== undefined) return Buffer.from(text)
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  return Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8) * 7) & 0xff))
}

async function listed(entry: Entry): Promise<ListedObject> {
  const { path, kind, id } = entry
  if (entry.kind === 'folder') return { path, kind, id, size: 0, rev: null, contentHash: null, sha256: null }
  const { bytes, contentHash } = entry.content
  return { path, kind, id, size: bytes.size, rev: entry.rev, contentHash, sha256: await sha256Of(bytes) }
}
