/** Of an account `a`: nothing can be read from it or written to it now. */
export const LOST = `(a.status = 'EXPIRED' or a.unreachable_since is not null or a.disconnected_at is not null)`
