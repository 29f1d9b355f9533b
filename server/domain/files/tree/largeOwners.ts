import type pg from 'pg'

/** Users who own a large part of all entries, as most do on a server of one household. */
export type LargeOwners = {
  /** By statistics that are at most ten minutes older than PostgreSQL's own. */
  includes(userId: string): Promise<boolean>
}

const LARGE_PART = 0.25
const REFRESH_MS = 600_000

// The statistics name the most frequent values of a column; without any yet, there is no row. Before PostgreSQL 17, a list in its order could
// not be read with the condition that listStatement has for these users.
const FREQUENT = `select value, frequency from pg_stats s,
    unnest(s.most_common_vals::text::text[], s.most_common_freqs) as frequent (value, frequency)
  where s.schemaname = current_schema() and s.tablename = 'files' and s.attname = 'user_id'
    and current_setting('server_version_num')::int >= 170000`

/** @param now the present time in ms */
export function createLargeOwners(pool: pg.Pool, now: () => number = Date.now): LargeOwners {
  let owners: Promise<ReadonlySet<string>> | null = null
  let readAt = 0

  async function read(): Promise<ReadonlySet<string>> {
    const { rows } = await pool.query<{ value: string; frequency: number }>({
      name: 'files large owners',
      text: FREQUENT,
    })
    return new Set(rows.flatMap(({ value, frequency }) => (frequency >= LARGE_PART ? [value] : [])))
  }

  return {
    async includes(userId) {
      if (owners === null || now() - readAt >= REFRESH_MS) {
        readAt = now()
        owners = read()
        owners.catch(() => {
          owners = null
        })
      }
      return (await owners).has(userId)
    },
  }
}
