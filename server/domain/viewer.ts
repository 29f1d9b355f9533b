import { KeyRefusedError } from './errors.ts'

export const SCOPES = ['READ', 'WRITE', 'SHARE'] as const
/** Permissions of an API key. READ: read and download. WRITE: upload, change, delete. SHARE: create and revoke public links. */
export type Scope = (typeof SCOPES)[number]

/** What an operation requires of an API key: a scope, or SESSION for operations that no key can call. */
export type Access = Scope | 'SESSION'

/** Rate limit of `limit` calls per minute: `remaining` now, and all of them again in `resetSeconds`. */
export type RateLeft = { readonly limit: number; readonly remaining: number; readonly resetSeconds: number }

/** The caller of a service, its first argument: created by the http layer from a valid session or key. */
export type Viewer = {
  readonly userId: string
  /** Null for API keys. */
  readonly sessionId: string | null
  /** The API key; absent for a session, which has all permissions. */
  readonly key?: {
    readonly id: string
    readonly scopes: readonly Scope[]
    /** SHA-256 of the key in hex: distinguishes it from a regenerated key with the same id. Without it, streams count as ended. */
    readonly hash?: string
    /** Remaining calls; absent without a limit. */
    readonly rate?: RateLeft
  }
}

/** Checks the scope of an API key; sessions always pass. @throws KeyRefusedError */
export function requireAccess({ key }: Viewer, access: Access): void {
  if (!key) return
  if (access === 'SESSION') throw new KeyRefusedError()
  if (!key.scopes.includes(access)) throw new KeyRefusedError(`This API key may not do that: it lacks ${access}.`)
}

/** The session of a viewer, for operations that no API key can call. @throws KeyRefusedError */
export function sessionOf(viewer: Viewer): string {
  if (viewer.sessionId === null) throw new KeyRefusedError()
  return viewer.sessionId
}
