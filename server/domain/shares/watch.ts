import type pg from 'pg'
import { NOT_ENDED } from './rows.ts'

/** Often enough that a download is cut within five seconds of its share's end. */
const EVERY_MS = 3_000
/** So many looks that fail one after the other, and nothing allows the downloads any more. */
const MOST_FAILURES = 4

/** A download under way, with what allows it. */
export type Watched = {
  readonly shareId: string
  readonly fileId: string
  readonly passwordHash: string | null
  readonly claimId: string | null
}

export type Watch = {
  /**
   * `signal` aborts once the share does not open any more or does not hold the file any more, its password is another one, the claim
   * is gone, or there is a limit of downloads that this one has no claim for.
   */
  add(watched: Watched): { readonly signal: AbortSignal; remove(): void }
  /** Looks at once, for when this process itself has ended a share. */
  look(): Promise<void>
}

/** Up to the root, as a share is paused by what is above it, too. */
const IS_INSIDE = `(
  with recursive up as (
    select a.id, a.parent_id, a.trashed_at is null and a.purged_at is null as live from files a where a.id = w.file_id
    union all select p.id, p.parent_id, p.trashed_at is null and p.purged_at is null from up join files p on p.id = up.parent_id)
  select bool_and(up.live) and bool_or(up.id = s.file_id) from up)`

const ALLOWED = `select w.at::int as at
  from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[]) as w(at, share_id, file_id, password_hash, claim_id)
    join shares s on s.id = w.share_id join users u on u.id = s.user_id
  where ${NOT_ENDED} and u.deleted_at is null and ${IS_INSIDE}
    and s.password_hash is not distinct from w.password_hash
    and case when w.claim_id is null then s.max_downloads is null
      else exists (select from share_claims c where c.id = w.claim_id) end`

const SEEN = `update share_claims set seen_at = now() where id = any($1::uuid[]) and seen_at < now() - interval '1 minute'`

/** One look at all downloads of this process, in one statement; no downloads, no look. */
export function createWatch({ pool, everyMs = EVERY_MS }: { pool: pg.Pool; everyMs?: number }): Watch {
  const running = new Map<Watched, AbortController>()
  let timer: NodeJS.Timeout | undefined
  let failures = 0

  function schedule(): void {
    if (timer || running.size === 0) return
    timer = setTimeout(() => {
      timer = undefined
      void look().then(schedule)
    }, everyMs).unref()
  }

  async function look(): Promise<void> {
    const looked = [...running]
    if (looked.length === 0) return
    const allowed = await allowedOf(
      pool,
      looked.map(([watched]) => watched),
    ).catch(() => null)
    failures = allowed ? 0 : failures + 1
    if (!allowed && failures < MOST_FAILURES) return
    looked.forEach(([watched, controller], at) => {
      if (allowed?.has(at)) return
      running.delete(watched)
      controller.abort()
    })
  }

  return {
    add(watched) {
      const controller = new AbortController()
      running.set(watched, controller)
      schedule()
      return { signal: controller.signal, remove: () => void running.delete(watched) }
    },
    look,
  }
}

/** The places of those that may go on. Their claims are kept up. */
async function allowedOf(pool: pg.Pool, watched: readonly Watched[]): Promise<Set<number>> {
  const { rows } = await pool.query<{ at: number }>(ALLOWED, [
    watched.map((_, at) => at),
    watched.map(({ shareId }) => shareId),
    watched.map(({ fileId }) => fileId),
    watched.map(({ passwordHash }) => passwordHash),
    watched.map(({ claimId }) => claimId),
  ])
  const claims = watched.flatMap(({ claimId }) => claimId ?? [])
  if (claims.length > 0) await pool.query(SEEN, [claims])
  return new Set(rows.map(({ at }) => at))
}
