import { deviceCookieId } from '../domain/users/passwords.ts'

/** Longer than a proof is valid: a browser that once gave the password keeps its own rate limit, apart from strangers' attempts. */
const PROOF_LIFE_SECONDS = 30 * 24 * 60 * 60
/** The longest that browsers keep a cookie. */
const DEVICE_LIFE_SECONDS = 400 * 24 * 60 * 60

/** Reads and writes the session cookie. With HTTPS its name has the prefix __Host-, which binds it to this host. */
export type SessionCookie = {
  /** The token in a `Cookie` header; null when there is none. */
  read(header: string | undefined): string | null
  /** `Set-Cookie` for a new session; `expiresAt` null ends it with the browser. */
  write(token: string, expiresAt: Date | null): string
  /** `Set-Cookie` that removes it. */
  clear(): string
}

/** The cookie with which a browser proves that it gave the password of a share (`id`: the share's database id). */
export type ProofCookie = {
  /** The proof in a `Cookie` header; null when there is none. */
  read(header: string | undefined, id: string): string | null
  /** The `Set-Cookie` value. */
  write(id: string, proof: string): string
}

/** The cookie that marks a browser as one on which a user has signed in before; one cookie per user. */
export type DeviceCookie = {
  /** The value for this user in a `Cookie` header; null when there is none. */
  read(header: string | undefined, userId: string): string | null
  /** The `Set-Cookie` value. */
  write(userId: string, device: string): string
}

export function createSessionCookie(secure: boolean): SessionCookie {
  const name = secure ? '__Host-sid' : 'sid'
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_-]{43})(?:;|$)`)
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    read: (header) => (header ? (pattern.exec(header)?.[1] ?? null) : null),
    write: (token, expiresAt) =>
      `${name}=${token}; ${attributes}${expiresAt ? `; Expires=${expiresAt.toUTCString()}` : ''}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  }
}

export function createProofCookie(secure: boolean): ProofCookie {
  // Half of the id distinguishes links, but does not open them for whoever reads the cookie names.
  const nameOf = (id: string) => `skypool_share_${id.replaceAll('-', '').slice(0, 16)}`
  return {
    read: (header, id) =>
      new RegExp(`(?:^|;\\s*)${nameOf(id)}=([\\w.-]{1,100})(?:;|$)`).exec(header ?? '')?.[1] ?? null,
    write: (id, proof) =>
      `${nameOf(id)}=${proof}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${PROOF_LIFE_SECONDS}${secure ? '; Secure' : ''}`,
  }
}

export function createDeviceCookie(secure: boolean): DeviceCookie {
  const nameOf = (userId: string) => `${secure ? '__Host-' : ''}skypool_device_${deviceCookieId(userId)}`
  return {
    read: (header, userId) =>
      new RegExp(`(?:^|;\\s*)${nameOf(userId)}=([\\w.-]{1,100})(?:;|$)`).exec(header ?? '')?.[1] ?? null,
    write: (userId, device) =>
      `${nameOf(userId)}=${device}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${DEVICE_LIFE_SECONDS}${secure ? '; Secure' : ''}`,
  }
}
