import { deviceCookieId } from '../domain/users/devices.ts'

/** Longer than a proof opens: whoever has given the password once is not held up by what strangers guess. */
const PROOF_LIFE_SECONDS = 30 * 24 * 60 * 60
/** The longest that browsers keep a cookie. */
const DEVICE_LIFE_SECONDS = 400 * 24 * 60 * 60

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
      `${nameOf(id)}=${proof}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${PROOF_LIFE_SECONDS}${secure ? '; Secure' : ''}`,
  }
}

/** The cookie by which a browser is known as one that a user has signed in on: one for each user of it. */
export type DeviceCookie = {
  /** What it holds for this user in a `Cookie` header; null when there is none. */
  read(header: string | undefined, userId: string): string | null
  /** `Set-Cookie` that keeps it. */
  write(userId: string, device: string): string
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
