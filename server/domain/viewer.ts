import { KeyRefusedError } from './errors.ts'

export const SCOPES = ['READ', 'WRITE', 'SHARE'] as const
/** What a key may do. READ: look and download. WRITE: upload, change, delete. SHARE: make and end public links. */
export type Scope = (typeof SCOPES)[number]

/** What an operation asks of who comes with a key: a scope, or SESSION for what no key may do. */
export type Access = Scope | 'SESSION'

/** `limit` calls a minute: `remaining` at once now, all of them again in `resetSeconds`. */
export type RateLeft = { readonly limit: number; readonly remaining: number; readonly resetSeconds: number }

/** Who is asking: made by the http layer from a live session or key, taken as the first argument by every service. */
export type Viewer = {
  readonly userId: string
  /** Null for a program with a key. */
  readonly sessionId: string | null
  /** The key that was shown; absent for a session, which may do everything. */
  readonly key?: {
    readonly id: string
    readonly scopes: readonly Scope[]
    /** SHA-256 of the key that was shown, in hex: one that is made anew keeps its id. Without it a stream counts as ended. */
    readonly hash?: string
    /** What it may still call; absent without a limit. */
    readonly rate?: RateLeft
  }
}

/** What no session is asked: whether the key holds the scope. @throws KeyRefusedError */
export function requireAccess({ key }: Viewer, access: Access): void {
  if (!key) return
  if (access === 'SESSION') throw new KeyRefusedError()
  if (!key.scopes.includes(access)) throw new KeyRefusedError(`This API key may not do that: it lacks ${access}.`)
}

/** The session of a viewer, for what no key may do. @throws KeyRefusedError */
export function sessionOf(viewer: Viewer): string {
  if (viewer.sessionId === null) throw new KeyRefusedError()
  return viewer.sessionId
}
