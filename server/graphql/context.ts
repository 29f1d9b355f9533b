import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
} from 'graphql'
import type { Db } from '../db/client.ts'
import type { Events } from '../domain/events.ts'
import type { Services } from '../domain/services.ts'
import type { Visitor } from '../domain/shares/contract.ts'
import type { Client, SignedIn } from '../domain/users/contract.ts'
import { type Access, requireAccess, type Viewer } from '../domain/viewer.ts'
import type { Language } from '../lib/languages.ts'
import type { StreamCount } from './limits.ts'
import { createLoaders, type Loaders } from './loaders.ts'

/** The same for all requests. */
export type ContextDeps = {
  readonly services: Services
  readonly db: Db
  readonly events: Events
  readonly server: ServerInfo
  /** Number of live subscriptions per user. */
  readonly streams: StreamCount
}

/** `uploadTypes` null: any type is accepted. */
export type ServerInfo = {
  readonly version: string
  readonly uploadTypes: readonly { readonly mimeType: string; readonly extensions: readonly string[] }[] | null
  /** Whether mail is sent by SMTP (SMTP_URL); otherwise it is written to a folder. */
  readonly mail: boolean
}

/** One request, as the http layer describes it. */
export type Caller = {
  readonly viewer: Viewer | null
  readonly client: Client
  /** Origin under which the request reached this server, as `https://host`. */
  readonly origin: string
  /** Origin for links to this server. */
  readonly linkOrigin: string
  /** Aborted when the client is gone or the server stops. */
  readonly signal: AbortSignal
  /** For a resumed event stream: the id of the last event that the client received. */
  readonly lastEventId: string | null
  /** The header `Idempotency-Key`, for the mutation that creates something or must not be done twice. */
  readonly idempotencyKey: string | undefined
  readonly writeCookie: (token: string, expiresAt: Date | null) => void
  readonly clearCookie: () => void
  /** Sets the cookie that marks the browser as known for this user. */
  readonly writeDevice: (userId: string, device: string) => void
  /** Sets the cookie with the language of the pages. */
  readonly writeLanguage: (language: Language | null) => void
  /** The proof cookie of a visitor of a password-protected link. `id` is the share's. */
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
  /** A creating mutation with the same key and input returns what the first one created. */
  readonly idempotencyKey: string | undefined
  /** The loaders of the current viewer. @throws GraphQLError UNAUTHENTICATED */
  readonly load: () => Loaders
  /** Clears what the loaders have cached. */
  readonly forget: () => void
  /** Sets the session cookie and makes its owner the viewer for the rest of this request. */
  readonly signIn: (signedIn: Omit<SignedIn, 'device'> & Partial<Pick<SignedIn, 'device'>>) => Promise<void>
  readonly keepDevice: (userId: string, device: string) => void
  readonly keepLanguage: (language: Language | null) => void
  readonly signOut: () => void
  /** The caller as a visitor of this public link. */
  readonly visitor: (shareId: string) => Visitor
  /** Uses a proof for the rest of this request, and sets its cookie for later ones. */
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
    idempotencyKey: caller.idempotencyKey,
    viewer: () => viewer,
    load: () => (loaders ??= createLoaders(requireViewer(context), deps.services, deps.db)),
    forget: () => {
      loaders = null
    },
    async signIn({ user, token, expiresAt, device }) {
      caller.writeCookie(token, expiresAt)
      if (device !== undefined) caller.writeDevice(user.id, device)
      if (user.language !== null) caller.writeLanguage(user.language)
      become(await deps.services.users.viewerOf(token))
    },
    keepDevice: caller.writeDevice,
    keepLanguage: caller.writeLanguage,
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

declare module 'graphql' {
  // The type parameters must have the names of the extended interface.
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Scope that an API key needs for this field, like `config.scope` of a REST route. Default: WRITE for mutations, READ for queries and subscriptions. */
    scope?: Access
  }
}

type Field = GraphQLField<unknown, Context>
type Extended = { readonly extensions: { readonly scope?: Access } }

/** Scope that an API key needs for a field; null below the root fields, whose own scope was checked. */
export function accessOfField(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  { extensions: { scope } }: Extended,
): Access | null {
  if (scope) return scope
  if (type === schema.getMutationType()) return 'WRITE'
  return type === schema.getQueryType() || type === schema.getSubscriptionType() ? 'READ' : null
}

/** Wraps every resolver with the scope check of its field. Returns the same schema, changed. */
export function enforceScopes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const access = accessOfField(schema, type, field)
      if (access) guard(field, access)
    }
  }
  return schema
}

function guard(field: Field, access: Access): void {
  const { resolve = defaultFieldResolver, subscribe } = field
  field.resolve = (source, args, context, info) => {
    check(context, access)
    return resolve(source, args, context, info)
  }
  if (!subscribe) return
  field.subscribe = (source, args, context, info) => {
    check(context, access)
    return subscribe(source, args, context, info)
  }
}

/** @throws KeyRefusedError */
function check(context: Context, access: Access): void {
  const viewer = context.viewer()
  if (viewer) requireAccess(viewer, access)
}
