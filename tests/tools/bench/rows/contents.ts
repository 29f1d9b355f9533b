import type pg from 'pg'
import type { Bench, Line } from '../context.ts'
import { median } from '../measure.ts'
import { type Owner, ownerOf } from '../seed.ts'
import { Client } from '../skypool.ts'

const DOCUMENTS = 100_000
const OTHERS = 20_000
const TRASHED = 1_000
const WORDS = 40
const SEARCHES = 40

/**
 * Documents of about 300 bytes, written straight into the tables. Each has a word that no other has (`solo…`), one that every thousandth has
 * (`rare…`), one that every hundredth has (`some…`), one that every twentieth has (`often…`), and one that all have (`every`).
 */
async function seedDocuments(pool: pg.Pool, owner: Owner, count: number, prefix: string): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(
      `insert into files (id, user_id, kind, name, name_key, sort_key, search_key, category, mime_type, size, sha256, group_cloud_id,
         updated_at, trashed_at, trash_root_id)
       select id, $1, 'FILE', n, n, n, n, 'TEXT', 'text/plain', 1000, sha256(n::bytea), $2, now() - i * interval '1 second',
         case when i > $3::int then now() end, case when i > $3::int then id end
       from (select gen_random_uuid() as id, i, $4 || lpad(i::text, 7, '0') || '.txt' as n from generate_series(1, $3::int + $5::int) i) made`,
      [owner.userId, owner.groupCloudId, count, prefix, TRASHED],
    )
    await client.query(
      'update file_texts x set due_at = null, key = f.sha256 from files f where f.id = x.file_id and f.user_id = $1',
      [owner.userId],
    )
    await client.query(
      `insert into content_texts (user_id, key, text, folded, words)
       select $1, key, text, text, to_tsvector('simple', text) from (
         select f.sha256 as key, concat_ws(' ', 'every', 'solo' || n, 'rare' || n % 1000, 'some' || n % 100, 'often' || n % 20,
           (select string_agg('w' || (n * 31 + w * w * 7) % 20000, ' ') from generate_series(1, $2::int) w)) as text
         from files f, lateral (select regexp_replace(f.name, '\\D', '', 'g')::int as n) number where f.user_id = $1) made`,
      [owner.userId, WORDS],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
}

/** The same by hand: neither access rules nor excerpts. */
const BARE = `select f.id, f.name from content_texts t join file_texts x on x.user_id = t.user_id and x.key = t.key join files f on f.id = x.file_id
  where t.user_id = $1 and t.text <> '' and t.words @@ to_tsquery('simple', $2) order by f.updated_at desc, f.id desc limit 50`

/** Search inside 100,000 documents, among those of another user and with some in the trash. */
export async function contentRows(bench: Bench): Promise<Line[]> {
  const owner = await ownerOf(bench.client)
  // Building an index at once takes seconds; adding millions of words one by one takes minutes, which no search waits for.
  const { rows } = await bench.pool.query<{ definition: string }>(
    `select pg_get_indexdef('content_texts_words'::regclass) as definition`,
  )
  await bench.pool.query('drop index content_texts_words')
  await seedDocuments(bench.pool, owner, DOCUMENTS, 'mine ')
  await seedDocuments(bench.pool, await ownerOf(await Client.signUp(bench.client.url)), OTHERS, 'other ')
  await bench.pool.query(rows[0]?.definition ?? '')
  for (const table of ['files', 'file_texts', 'content_texts']) await bench.pool.query(`vacuum analyze ${table}`)
  const kinds = [
    ['a word of one document', (index: number) => `solo${index * 97}`, 1],
    ['of 100', (index: number) => `rare${index}`, 50],
    ['of 1,000', (index: number) => `some${index}`, 50],
    ['of 5,000', (index: number) => `often${index % 20}`, 50],
    ['of all', () => 'every', 50],
    ['two words', (index: number) => `often${index % 20} rare${index % 20}`, 50],
  ] as const
  const lines: Line[] = []
  for (const [name, queryOf, expected] of kinds) lines.push(await search(bench, owner, name, queryOf, expected))
  return lines
}

async function search(
  bench: Bench,
  { userId }: Owner,
  name: string,
  queryOf: (index: number) => string,
  expected: number,
): Promise<Line> {
  const ours: number[] = []
  const bare: number[] = []
  for (let index = 1; index <= SEARCHES; index += 1) {
    const query = queryOf(index)
    let startedAt = performance.now()
    const address = `/api/v1/files/content-matches?limit=50&q=${encodeURIComponent(query)}`
    const { items } = await bench.client.json<{ items: { file: { name: string; trashedAt: string | null } }[] }>(
      address,
    )
    ours.push(performance.now() - startedAt)
    const isWrong = items.some(({ file }) => !file.name.startsWith('mine ') || file.trashedAt !== null)
    if (isWrong || items.length < expected) throw new Error(`search for ${query}: ${items.length} matches`)
    startedAt = performance.now()
    await bench.pool.query(BARE, [userId, query.split(' ').join(' & ')])
    bare.push(performance.now() - startedAt)
  }
  const [p50, reference] = [median(ours), median(bare)]
  return {
    row: 7,
    measure: `search inside 100k documents: ${name}`,
    figure: `p50 ${p50.toFixed(1)} ms, slowest ${Math.max(...ours).toFixed(1)} ms; bare statement ${reference.toFixed(1)} ms: ${(reference / p50).toFixed(2)}`,
    bar: '100 ms',
    goal: '20 ms',
    met: p50 <= 100,
  }
}
