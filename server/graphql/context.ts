import { GraphQLError } from 'graphql'
import type { Db } from '../db/client.ts'
import type { Events } from '../domain/events.ts'
import type { Services } from '../domain/services.ts'
import type { Visitor } from '../domain/shares/contract.ts'
import type { Client, SignedIn } from '../domain/users/contract.ts'
import type { Viewer } from '../domain/viewer.ts'
import { createLoaders, type Loaders } from './loaders.ts'
import type { StreamCount } from './streamCount.ts'

/** What does not change from one request to the next. */
export type ContextDeps = {
  readonly services: Services
  readonly db: Db
  readonly events: Events
  readonly server: ServerInfo
  /** Live subscriptions by user. */
  readonly streams: StreamCount
}

/** `uploadTypes` null: any type is accepted. */
export type ServerInfo = {
  readonly version: string
  readonly uploadTypes: readonly { readonly mimeType: string; readonly extensions: readonly string[] }[] | null
  /** Whether mails reach people by themselves (SMTP_URL). */
  readonly mail: boolean
}

/** What the http layer knows about one request. */
export type Caller = {
  readonly viewer: Viewer | null
  readonly client: Client
  /** Where people reach this server, as `https://host`. */
  readonly origin: string
  /** What links to this server begin with. */
  readonly linkOrigin: string
  /** Aborted when the client is gone or the server stops. */
  readonly signal: AbortSignal
  /** Of an event stream that is taken up again: the id of the last event that arrived. */
  readonly lastEventId: string | null
  readonly writeCookie: (token: string, expiresAt: Date | null) => void
  readonly clearCookie: () => void
  /** Marks the browser as one that this user has signed in on. */
  readonly writeDevice: (userId: string, device: string) => void
  /** What the visitor of a public link has proved, and keeping it. `id` is the share's. */
  readonly readShareProof: (id: string) => string | null
  readonly writeShareProof: (id: string, proof: string) => void
}

export type Context = ContextDeps & {
  readonly viewer: () => Viewer | null
  readonly client: Client
  readonly origin: string
  readonly linkOrigin: string
  readonly signal: AbortSignal
  readonly lastEventId: string | null
  /** The lookups of the present viewer. @throws GraphQLError UNAUTHENTICATED */
  readonly load: () => Loaders
  /** Drops what was looked up so far; the next lookup reads anew. */
  readonly forget: () => void
  /** Makes the new session's owner the viewer of what is left of this request. */
  readonly signIn: (signedIn: Omit<SignedIn, 'device'> & Partial<Pick<SignedIn, 'device'>>) => Promise<void>
  readonly keepDevice: (userId: string, device: string) => void
  readonly signOut: () => void
  /** Whoever asks, as the visitor of a public link. */
  readonly visitor: (shareId: string) => Visitor
  /** Keeps a proof for what is left of this request, and in a cookie for later ones. */
  readonly keepProof: (shareId: string, proof: string) => void
}

export function createContext(deps: ContextDeps, caller: Caller): Context {
  let viewer = caller.viewer
  let loaders: Loaders | null = null
  const proofs = new Map<string, string>()
  const become = (next: Viewer | null): void => {
    viewer = next
    loaders = null
  }
  const context: Context = {
    ...deps,
    client: caller.client,
    origin: caller.origin,
    linkOrigin: caller.linkOrigin,
    signal: caller.signal,
    lastEventId: caller.lastEventId,
    viewer: () => viewer,
    load: () => (loaders ??= createLoaders(requireViewer(context), deps.services, deps.db)),
    forget: () => {
      loaders = null
    },
    async signIn({ user, token, expiresAt, device }) {
      caller.writeCookie(token, expiresAt)
      if (device !== undefined) caller.writeDevice(user.id, device)
      become(await deps.services.users.viewerOf(token))
    },
    keepDevice: caller.writeDevice,
    signOut() {
      caller.clearCookie()
      become(null)
    },
    visitor: (shareId) => ({ ...caller.client, proof: proofs.get(shareId) ?? caller.readShareProof(shareId) }),
    keepProof(shareId, proof) {
      proofs.set(shareId, proof)
      caller.writeShareProof(shareId, proof)
    },
  }
  return context
}

/** The signed-in viewer. @throws GraphQLError UNAUTHENTICATED */
export function requireViewer(context: Context): Viewer {
  const viewer = context.viewer()
  if (!viewer) throw unauthenticated()
  return viewer
}

export function unauthenticated(): GraphQLError {
  const extensions = { code: 'UNAUTHENTICATED', http: { status: 401, spec: true } }
  return new GraphQLError('Please sign in first.', { extensions })
}
