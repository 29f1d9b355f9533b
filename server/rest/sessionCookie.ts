/** Reading and writing the session cookie. With https the name carries the __Host- prefix, which binds it to this host. */
export type SessionCookie = {
  /** The token in a `Cookie` header; null when there is none. */
  read(header: string | undefined): string | null
  /** `Set-Cookie` for a new session; `expiresAt` null ends it with the browser. */
  write(token: string, expiresAt: Date | null): string
  /** `Set-Cookie` that removes it. */
  clear(): string
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
