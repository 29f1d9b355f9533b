import { createHash, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { nameKey } from '../../server/domain/files/tree/names.ts'
import { newId } from '../../server/lib/ids.ts'
import { createOwner } from './files.ts'

// Files of three accounts and the pool, of which some are equal, some may be, and some only look as if they were.

type Row = {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly time: string
  readonly accountId: string | null
  /** As the provider reports it. */
  readonly hash: string | null
  readonly nativeKind: string | null
  readonly sha256: string | null
  /** Hashes that were computed while the bytes passed through this server. */
  readonly computed: { readonly version: string; readonly md5: string; readonly dropbox: string } | null
  readonly trashed: boolean
  readonly purged: boolean
}

export type ExpectedGroup = { readonly certain: boolean; readonly fileIds: readonly string[] }

const digest = (text: string, length: number) => createHash('sha512').update(text).digest('hex').slice(0, length)
const md5 = (text: string) => digest(`md5 ${text}`, 32)
const dropbox = (text: string) => digest(`dropbox ${text}`, 64)
const sha256 = (text: string) => digest(`sha256 ${text}`, 64)

/**
 * Plants `groups` groups among `files` files of a new user: half of what is left over has the size of a group. Every tenth group is one
 * that only reading can decide.
 */
export async function plantDuplicates(
  pool: pg.Pool,
  { files, groups }: { readonly files: number; readonly groups: number },
) {
  const owner = await createOwner(pool)
  const { userId } = owner.viewer
  const [driveA, driveB, box] = [newId(), newId(), newId()]
  for (const [id, provider] of [
    [driveA, 'google'],
    [driveB, 'google'],
    [box, 'dropbox'],
  ] as const) {
    await plantAccount(pool, { id, userId, provider })
  }
  const rows: Row[] = []
  const expected: ExpectedGroup[] = []
  let clock = Date.parse('2024-01-01T00:00:00Z')

  function add(content: string, size: number, where: 'A' | 'B' | 'BOX' | 'POOL', more: Partial<Row> = {}): string {
    clock += 1000
    const id = newId()
    const accountId = { A: driveA, B: driveB, BOX: box, POOL: null }[where]
    const reported = {
      A: `md5:${md5(content)}`,
      B: `md5:${md5(content)}`,
      BOX: `dropbox:${dropbox(content)}`,
      POOL: null,
    }
    rows.push({
      id,
      name: `${where} ${rows.length}.bin`,
      size,
      time: new Date(clock).toISOString(),
      accountId,
      hash: reported[where],
      nativeKind: null,
      sha256: where === 'POOL' ? sha256(content) : null,
      computed: null,
      trashed: false,
      purged: false,
      ...more,
    })
    return id
  }
  const computed = (content: string) => ({ version: sha256(content), md5: md5(content), dropbox: dropbox(content) })
  const certain = (...fileIds: string[]) => expected.push({ certain: true, fileIds })
  const likely = (...fileIds: string[]) => expected.push({ certain: false, fileIds })

  for (let index = 0; index < groups; index += 1) {
    const text = `group ${index}`
    const size = 1000 + index * 7
    const name = `shared ${index}.pdf`
    const kind = index % 10
    if (kind === 0) certain(add(text, size, 'A'), add(text, size, 'A', { name }), add(text, size, 'A', { name }))
    else if (kind === 1) certain(add(text, size, 'A'), add(text, size, 'B'))
    else if (kind === 2) certain(add(text, size, 'BOX'), add(text, size, 'BOX'))
    else if (kind === 3) certain(add(text, size, 'POOL'), add(text, size, 'POOL'))
    else if (kind === 4) {
      certain(add(text, size, 'POOL', { computed: computed(text) }), add(text, size, 'A'), add(text, size, 'BOX'))
    } else if (kind === 5) certain(add(text, size, 'BOX'), add(text, size, 'POOL', { computed: computed(text) }))
    else if (kind === 6) {
      // Two groups of one size, and one name for all.
      certain(add(text, size, 'A', { name }), add(text, size, 'B', { name }))
      certain(add(`${text}!`, size, 'A', { name }), add(`${text}!`, size, 'B', { name }))
    } else if (kind === 7) {
      // In the trash and deleted ones do not count.
      certain(add(text, size, 'A'), add(text, size, 'B'))
      add(text, size, 'A', { trashed: true })
      add(text, size, 'POOL', { computed: computed(text), purged: true })
    } else if (kind === 8)
      certain(add(text, size, 'POOL', { computed: computed(text) }), add(text, size, 'B', { name }))
    else if (index % 20 === 9) likely(add(text, size, 'A', { name }), add(text, size, 'BOX', { name }))
    else {
      const time = new Date(clock - 500_000_000).toISOString()
      likely(add(text, size, 'B', { time }), add(text, size, 'BOX', { time: time.replace('.000', '.400') }))
    }
  }
  let miss = 0
  const nearMisses: (() => void)[] = [
    // The same size and name, but other hashes.
    () => {
      const name = `same name ${miss}.jpg`
      for (const one of ['1', '2', '3']) add(`${miss} ${one}`, 500_000_000 + miss, 'A', { name })
    },
    // The same size, but neither name nor time, and no common algorithm.
    () => {
      add(`${miss} a`, 500_000_000 + miss, 'A')
      add(`${miss} a`, 500_000_000 + miss, 'BOX')
    },
    // The same hash, but another size.
    () => {
      add(`${miss} s`, 500_000_000 + miss, 'A')
      add(`${miss} s`, 600_000_000 + miss, 'A')
    },
    // The same MD5, but another SHA-256: made on purpose.
    () => {
      const shared = { md5: md5(`${miss}`), dropbox: '' }
      for (const one of ['1', '2']) {
        const content = `${miss} ${one}`
        const all = { ...shared, version: sha256(content), dropbox: dropbox(content) }
        add(content, 500_000_000 + miss, 'POOL', { computed: all, name: `collision ${miss} ${one}` })
      }
    },
    // The same digits, but of another algorithm.
    () => {
      const digits = digest(`${miss}`, 40)
      add('', 500_000_000 + miss, 'A', { hash: `sha1:${digits}` })
      add('', 500_000_000 + miss, 'BOX', { hash: `quickxor:${digits}` })
    },
    // Documents without a file, shortcuts and empty files.
    () => {
      for (const nativeKind of ['DOCUMENT', 'SHORTCUT']) {
        for (const one of [1, 2]) add(`${one}`, 0, 'A', { nativeKind, hash: null, name: `native ${miss}` })
      }
      add('', 0, 'A', { name: `empty ${miss}` })
      add('', 0, 'B', { name: `empty ${miss}` })
    },
    // Documents that a provider reports with a size.
    () => {
      for (const _ of [1, 2]) {
        add('doc', 500_000_000 + miss, 'A', { nativeKind: 'DOCUMENT', hash: null, name: `sized ${miss}` })
      }
    },
    // Hashes of an earlier content.
    () => {
      const stale = { ...computed(`${miss} old`), version: 'another' }
      add(`${miss} new`, 500_000_000 + miss, 'POOL', { computed: stale })
      add(`${miss} old`, 500_000_000 + miss, 'A')
    },
    // All but one in the trash.
    () => {
      add(`${miss} t`, 500_000_000 + miss, 'A')
      add(`${miss} t`, 500_000_000 + miss, 'B', { trashed: true })
    },
  ]
  for (; miss < groups; miss += 1) nearMisses[miss % nearMisses.length]?.()
  for (let index = 0; rows.length < files; index += 1) {
    const size = index % 2 === 0 ? 1000 + (index % groups) * 7 : 700_000_000 + index
    add(`unique ${index}`, size, (['A', 'B', 'BOX', 'POOL'] as const)[index % 4] ?? 'A')
  }
  for (let at = 0; at < rows.length; at += 5_000) await insert(pool, userId, rows.slice(at, at + 5_000))
  await pool.query('analyze')
  return { owner, accounts: { driveA, driveB, box }, expected, rows }
}

async function plantAccount(pool: pg.Pool, { id, userId, provider }: { id: string; userId: string; provider: string }) {
  const root = newId()
  await pool.query(
    `insert into accounts (id, user_id, provider, provider_account_id, name, quota_state) values ($1, $2, $3, $4, $3, 'UNKNOWN')`,
    [id, userId, provider, randomUUID()],
  )
  await pool.query(
    `insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category)
     values ($1, $2, $3, 'FOLDER', $4, $4, $4, $4, 'FOLDER')`,
    [root, userId, id, `root ${id}`],
  )
  await pool.query('insert into account_indexes (account_id, root_file_id) values ($1, $2)', [id, root])
}

async function insert(pool: pg.Pool, userId: string, rows: readonly Row[]): Promise<void> {
  const given = rows.map((row) => ({ ...row, nameKey: nameKey(row.name), ...row.computed }))
  await pool.query(
    `with given as (select * from json_to_recordset($1) as g(id uuid, name text, "nameKey" text, size bigint, time timestamptz,
        "accountId" uuid, hash text, "nativeKind" text, sha256 text, version text, md5 text, dropbox text, trashed boolean, purged boolean)),
      file as (insert into files (id, user_id, parent_id, account_id, kind, name, name_key, sort_key, search_key, category, size, sha256,
          created_at, updated_at, trashed_at, trash_root_id, purged_at)
        select g.id, $2, i.root_file_id, "accountId", 'FILE', name, "nameKey" || g.id, name, name, 'OTHER', size, decode(sha256, 'hex'),
          time, time, case when trashed then now() end, case when trashed then g.id end, case when purged then now() end
        from given g left join account_indexes i on i.account_id = g."accountId"),
      entry as (insert into account_entries (file_id, account_id, ref, hash, native_kind, rights)
        select id, "accountId", id::text, hash, "nativeKind", 63 from given where "accountId" is not null)
    insert into content_hashes (file_id, version, sha256, md5, dropbox, sha1, quickxor)
      select id, version, decode(sha256, 'hex'), decode(md5, 'hex'), decode(dropbox, 'hex'), null, '' from given where version is not null`,
    [JSON.stringify(given), userId],
  )
  // Names are unique in a folder of the pool, where a test of names has to start from equal ones.
  await pool.query(
    `update files f set name_key = g."nameKey" from json_to_recordset($1) as g(id uuid, "nameKey" text)
     where f.id = g.id and f.account_id is not null`,
    [JSON.stringify(given)],
  )
}

/** A group of these files that only reading can decide, as a check would have found it. @returns its id */
export async function insertLikelyGroup(pool: pg.Pool, userId: string, fileIds: readonly string[]): Promise<string> {
  const id = newId()
  await pool.query(
    `insert into duplicate_groups (id, user_id, certain, size, files, waste, match, category)
     values ($1, $2, false, 10, 2, 10, 'NAME', 'TEXT')`,
    [id, userId],
  )
  await pool.query(
    'insert into duplicate_files (group_id, file_id, user_id, waste) select $1, f, $2, 10 from unnest($3::uuid[]) as f',
    [id, userId, fileIds],
  )
  return id
}
