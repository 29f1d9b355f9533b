import type pg from 'pg'
import type { MemoryCloud } from '../fakes/memory/cloud.ts'

const LEDGER = `select a.name, a.provider,
    (a.reserved_bytes - coalesce(sum(p.size) filter (where p.state = 'PLANNED'), 0)) || '/' ||
      (a.used_bytes - coalesce(sum(p.size) filter (where p.state = 'STORED'), 0)) as off,
    coalesce(array_agg(p.object_ref) filter (where p.state = 'STORED'), '{}') as refs
  from accounts a left join pieces p on p.account_id = a.id group by a.id`

/** What does not add up: reserved and used bytes, objects without a piece, pieces without an object. Empty when all is well. */
export async function auditAccounts(pool: pg.Pool, cloud: MemoryCloud): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; provider: string; off: string; refs: string[] }>(LEDGER)
  return rows.flatMap(({ name, provider, off, refs }) => {
    const wrong = off === '0/0' ? [] : [`${name}: reserved/used are off by ${off}`]
    if (provider !== 'memory') return wrong
    const there = new Set<string>(cloud.objects(name).flatMap(({ kind, ref }) => (kind === 'file' ? [ref] : [])))
    const missing = refs.filter((ref) => !there.has(ref)).map(() => `${name}: a piece has no object`)
    const orphans = [...there].filter((ref) => !refs.includes(ref)).map(() => `${name}: an object has no piece`)
    return [...wrong, ...missing, ...orphans]
  })
}
