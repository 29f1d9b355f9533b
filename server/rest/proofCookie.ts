const LIFE_SECONDS = 12 * 60 * 60

/** The cookie in which a browser keeps what it has proved to one share (`id`: the share's, as in the database). */
export type ProofCookie = {
  /** The proof in a `Cookie` header; null when there is none. */
  read(header: string | undefined, id: string): string | null
  /** `Set-Cookie` that keeps it. */
  write(id: string, proof: string): string
}

export function createProofCookie(secure: boolean): ProofCookie {
  // Half of the id: enough to tell links apart, and a list of cookies opens none of them.
  const nameOf = (id: string) => `skypool_share_${id.replaceAll('-', '').slice(0, 16)}`
  return {
    read: (header, id) =>
      new RegExp(`(?:^|;\\s*)${nameOf(id)}=([\\w.-]{1,100})(?:;|$)`).exec(header ?? '')?.[1] ?? null,
    write: (id, proof) =>
      `${nameOf(id)}=${proof}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${LIFE_SECONDS}${secure ? '; Secure' : ''}`,
  }
}
