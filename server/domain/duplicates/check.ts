import type { Pool, PoolClient } from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import { HASH_ALGORITHMS, type HashAlgorithm } from '../../lib/contentHash.ts'
import { newId } from '../../lib/ids.ts'
import { HASH_COLUMNS, HASHES_OF_FILE, type Hashes, type HashRow, hashesOf } from '../files/content/hashes.ts'
import type { FileCategory } from '../files/contract.ts'
import { UNSETTLED } from '../files/tree/trash.ts'
import type { Enqueue } from '../jobs.ts'
import type { DuplicateMatch } from './contract.ts'
import { regroupMany } from './manyOfOneSize.ts'

// Keeps the groups up to date: triggers note the sizes of files that change, and all files of such a size are grouped again.

export type CheckDeps = { readonly pool: Pool; readonly enqueue: Enqueue }

export type CheckOptions = {
  /** Changes that are checked. */
  readonly limit: number
  /** Sizes of more files than are loaded at once are left to the job, because they take longer than a reader waits. */
  readonly leaveLarge?: boolean
  readonly mostLoaded?: number
}

/** DONE: everything is checked. MORE: there are further sizes. BUSY: another process is checking the user's files. */
export type CheckOutcome = 'DONE' | 'MORE' | 'BUSY'

/** Files, and places of files in groups, that are loaded at once. Where one size has more of them, PostgreSQL groups them. */
const MOST_LOADED = 20_000
/** Files of one job that computes hashes. */
const HASHED_TOGETHER = 200

const BEGIN = 'insert into duplicate_checks (user_id) select id from users where id = $1 on conflict do nothing'
const LOCK = 'select from duplicate_checks where user_id = $1 for update skip locked'
const TAKE = `with taken as (delete from unchecked_sizes u using (
      select size, position from unchecked_sizes where user_id = $1 order by size desc, position desc limit $2) t
    where u.user_id = $1 and u.size = t.size and u.position = t.position returning u.size)
  select distinct size::float8 as size from taken order by size desc`
const MORE = 'select exists (select from unchecked_sizes where user_id = $1) as more'
const END = 'update duplicate_checks set checked_at = now() where user_id = $1'

/** Groups the files of the noted changes again, of the largest files first. */
export async function checkSome(
  { pool, enqueue }: CheckDeps,
  userId: string,
  { limit, leaveLarge = false, mostLoaded = MOST_LOADED }: CheckOptions,
): Promise<CheckOutcome> {
  await pool.query(BEGIN, [userId])
  return retryConflicts(() =>
    transaction(pool, async (tx): Promise<CheckOutcome> => {
      const { rowCount } = await tx.query(LOCK, [userId])
      if (!rowCount) return 'BUSY'
      const { rows } = await tx.query<{ size: number }>(TAKE, [userId, limit])
      const { parts, large } = await planChecks(
        tx,
        userId,
        rows.map(({ size }) => size),
        mostLoaded,
      )
      for (const { sizes, together } of parts) await regroup(tx, enqueue, userId, sizes, together)
      if (leaveLarge && large.length > 0) await tx.query(PUT_BACK, [userId, large])
      else {
        await tx.query(TAKE_ALL, [userId, large])
        for (const size of large) await regroupMany(tx, enqueue, userId, size)
      }
      const [left] = (await tx.query<{ more: boolean }>(MORE, [userId])).rows
      if (left?.more) return 'MORE'
      await tx.query(END, [userId])
      return 'DONE'
    }),
  )
}

/** Grouping so many files for each of their changes would take hours. */
const TAKE_ALL = 'delete from unchecked_sizes where user_id = $1 and size = any($2::bigint[])'
const PUT_BACK = 'insert into unchecked_sizes (user_id, size) select $1, unnest($2::bigint[])'

/** The entries that count: of documents without a file and of accounts that are not shown any more there is nothing to compare. */
const COUNTED = `f.user_id = $1 and f.kind = 'FILE' and f.size > 0 and f.trash_root_id is null and f.purged_at is null
  and f.size = any($2::bigint[])`

const COUNT = `select size::float8 as size, sum(files)::float8 as files from (
    select f.size, count(*) as files from files f where ${COUNTED} group by f.size
    union all select g.size, sum(g.files) from duplicate_groups g where g.user_id = $1 and g.size = any($2::bigint[]) group by g.size) counted
  group by size having sum(files) > 1`

type Plan = {
  /** `sizes`: all to check at once; `together`: those of which there may be several files. */
  readonly parts: readonly { readonly sizes: readonly number[]; readonly together: readonly number[] }[]
  /** Sizes of more files than are loaded. */
  readonly large: readonly number[]
}

async function planChecks(tx: PoolClient, userId: string, sizes: readonly number[], mostLoaded: number): Promise<Plan> {
  if (sizes.length === 0) return { parts: [], large: [] }
  const { rows } = await tx.query<{ size: number; files: number }>(COUNT, [userId, sizes])
  const counts = new Map(rows.map(({ size, files }) => [size, files]))
  const parts: { sizes: number[]; together: number[] }[] = []
  let loaded = Number.POSITIVE_INFINITY
  for (const size of sizes) {
    const count = counts.get(size) ?? 0
    if (count > mostLoaded) continue
    loaded += count
    if (loaded > mostLoaded) {
      parts.push({ sizes: [], together: [] })
      loaded = count
    }
    parts.at(-1)?.sizes.push(size)
    if (count > 0) parts.at(-1)?.together.push(size)
  }
  return { parts, large: sizes.filter((size) => (counts.get(size) ?? 0) > mostLoaded) }
}

const CANDIDATES = `select f.size::float8 as of_size, f.id, f.name_key, floor(extract(epoch from f.updated_at))::float8 as time,
    f.account_id, f.category, h.quickxor is not null as complete, ${HASH_COLUMNS}
  from files f left join account_entries e on e.file_id = f.id left join content_hashes h on ${HASHES_OF_FILE}
  where ${COUNTED} and e.native_kind is null
    and (f.account_id is null or exists (select from account_indexes i where i.account_id = f.account_id))
    and not coalesce(f.parent_id = any(array(${UNSETTLED})), false)
  order by f.updated_at, f.id`

type CandidateRow = HashRow & {
  readonly of_size: number
  readonly id: string
  readonly name_key: string
  readonly time: number
  readonly account_id: string | null
  readonly category: FileCategory
  /** All hashes have been computed. */
  readonly complete: boolean
}

const KNOWN = `select g.id, g.certain, g.size::float8 as size, g.match, g.hash, g.category,
    array(select d.file_id::text from duplicate_files d where d.group_id = g.id) as file_ids
  from duplicate_groups g where g.user_id = $1 and g.size = any($2::bigint[])`

type KnownGroup = {
  readonly id: string
  readonly certain: boolean
  readonly size: number
  readonly match: DuplicateMatch
  readonly hash: string | null
  readonly category: FileCategory
  readonly file_ids: readonly string[]
}

/** As in Plan. */
async function regroup(
  tx: PoolClient,
  enqueue: Enqueue,
  userId: string,
  sizes: readonly number[],
  together: readonly number[],
): Promise<void> {
  const known = (await tx.query<KnownGroup>(KNOWN, [userId, sizes])).rows
  const rows = together.length > 0 ? (await tx.query<CandidateRow>(CANDIDATES, [userId, together])).rows : []
  const files = new Map(rows.map((row) => [row.id, row]))
  const bySize = byKey(rows, (row) => row.of_size)
  const knownBySize = byKey(known, (group) => group.size)
  const change: Change = { gone: [], changed: [], members: [] }
  const unhashed: string[] = []
  for (const size of sizes) {
    const { groups, undecided } = groupEqual((bySize.get(size) ?? []).map(candidateOf))
    compare(change, { size, groups, known: knownBySize.get(size) ?? [], files })
    unhashed.push(...undecided.filter((id) => isUnhashed(files.get(id))))
  }
  await save(tx, userId, change)
  for (let at = 0; at < unhashed.length; at += HASHED_TOGETHER) {
    await enqueue(tx, 'hashFiles', { fileIds: unhashed.slice(at, at + HASHED_TOGETHER) })
  }
}

/** Hashes of Skypool's own files are computed as soon as another file of the same size needs them. */
function isUnhashed(row: CandidateRow | undefined): boolean {
  return row !== undefined && row.account_id === null && !row.complete
}

function candidateOf(row: CandidateRow): Candidate {
  return { id: row.id, nameKey: row.name_key, time: row.time, hashes: hashesOf(row) }
}

type SavedGroup = Pick<KnownGroup, 'id' | 'certain' | 'size' | 'match' | 'hash' | 'category'> & {
  readonly files: number
}
type Member = {
  readonly groupId: string
  readonly fileId: string
  readonly accountId: string | null
  readonly waste: number
}

type Change = { readonly gone: string[]; readonly changed: SavedGroup[]; readonly members: Member[] }

type Compared = {
  readonly size: number
  readonly groups: readonly Group[]
  readonly known: readonly KnownGroup[]
  readonly files: ReadonlyMap<string, CandidateRow>
}

/** Collects what differs. A group keeps its id while it has one of its files: clients know it by that. */
function compare(change: Change, { size, groups, known, files }: Compared): void {
  const before = new Map<string, KnownGroup>()
  for (const group of known) for (const id of group.file_ids) before.set(`${kindOf(group)} ${id}`, group)
  const kept = new Set<string>()
  for (const group of groups) {
    const { certain, match, hash, fileIds } = group
    const known = fileIds.map((id) => before.get(`${kindOf(group)} ${id}`)).find((one) => one && !kept.has(one.id))
    const id = known?.id ?? newId()
    kept.add(id)
    const category = files.get(fileIds[0] ?? '')?.category ?? 'OTHER'
    if (known && isSame(known, group, category)) continue
    change.changed.push({ id, certain, size, match, hash, category, files: fileIds.length })
    const waste = size * (fileIds.length - 1)
    for (const fileId of fileIds) {
      change.members.push({ groupId: id, fileId, accountId: files.get(fileId)?.account_id ?? null, waste })
    }
  }
  for (const { id } of known) if (!kept.has(id)) change.gone.push(id)
}

/** A file can be in one group of each kind. */
function kindOf({ certain, match }: Pick<Group, 'certain' | 'match'>): string {
  return certain ? 'CERTAIN' : match
}

function isSame(known: KnownGroup, { match, hash, fileIds }: Group, category: FileCategory): boolean {
  if (known.match !== match || known.hash !== hash || known.category !== category) return false
  const ids = new Set(known.file_ids)
  return ids.size === fileIds.length && fileIds.every((id) => ids.has(id))
}

const REMOVE = `with left_members as (delete from duplicate_files where group_id = any($1::uuid[]))
  delete from duplicate_groups where id = any($1::uuid[])`
const SAVE = `insert into duplicate_groups (id, user_id, certain, size, files, waste, match, hash, category)
  select id, $2, certain, size, files, size * (files - 1), match, hash, category::"FileCategory"
  from json_to_recordset($1) as g(id uuid, certain boolean, size bigint, files int, match text, hash text, category text)
  on conflict (id) do update set files = excluded.files, waste = excluded.waste, match = excluded.match, hash = excluded.hash,
    category = excluded.category`
const LEAVE = 'delete from duplicate_files where group_id = any($1::uuid[])'
/** Files that were deleted meanwhile are left out; their size is noted again. */
const JOIN = `insert into duplicate_files (group_id, file_id, user_id, account_id, waste)
  select m."groupId", f.id, $2, m."accountId", m.waste
  from json_to_recordset($1) as m("groupId" uuid, "fileId" uuid, "accountId" uuid, waste bigint)
    join files f on f.id = m."fileId" for key share of f`

async function save(tx: PoolClient, userId: string, { gone, changed, members }: Change): Promise<void> {
  if (gone.length > 0) await tx.query(REMOVE, [gone])
  if (changed.length === 0) return
  await tx.query(SAVE, [JSON.stringify(changed), userId])
  await tx.query(LEAVE, [changed.map(({ id }) => id)])
  await tx.query(JOIN, [JSON.stringify(members), userId])
}

/** A file, as far as it matters for finding equal ones. All candidates of a call have the same size. */
type Candidate = {
  readonly id: string
  readonly nameKey: string
  /** Seconds since 1970: services store times with different precision. */
  readonly time: number
  readonly hashes: Hashes
}

type Group = {
  readonly certain: boolean
  readonly match: DuplicateMatch
  readonly hash: string | null
  /** In the order of the candidates. */
  readonly fileIds: readonly string[]
}

/** Files that are known to have the same content, with everything that is known of it. */
type Content = { readonly files: Candidate[]; readonly hashes: { [Algorithm in HashAlgorithm]?: string } }

/** Items by a key, in their order. */
export function byKey<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** The groups of files with equal content among files of one size. */
function groupEqual(candidates: readonly Candidate[]): { groups: Group[]; undecided: string[] } {
  const contents = contentsOf(candidates)
  const certain = contents.filter(({ files }) => files.length > 1).map((content) => certainGroup(content, candidates))
  const open = undecidedAmong(contents)
  return {
    groups: [...certain, ...likelyGroups(open, new Map(candidates.map(({ id }, place) => [id, place])))],
    undecided: open.flatMap(({ files }) => files.map(({ id }) => id)),
  }
}

/**
 * Joins files with a common hash. The most reliable algorithm comes first, and contents that differ in one are never joined by another:
 * files with the same MD5 and different SHA-256 sums can be made on purpose.
 */
function contentsOf(candidates: readonly Candidate[]): Content[] {
  let contents: Content[] = candidates.map((file) => ({ files: [file], hashes: { ...file.hashes } }))
  for (const algorithm of HASH_ALGORITHMS) {
    const byDigest = new Map<string, Content[]>()
    const joined: Content[] = []
    for (const content of contents) {
      const digest = content.hashes[algorithm]
      const same = digest === undefined ? [] : (byDigest.get(digest) ?? [])
      const target = same.find((one) => !differ(one, content))
      if (target) {
        // Not a spread: a content can have more files than a call can have arguments.
        for (const file of content.files) target.files.push(file)
        Object.assign(target.hashes, content.hashes)
        continue
      }
      joined.push(content)
      if (digest !== undefined) byDigest.set(digest, [...same, content])
    }
    contents = joined
  }
  return contents
}

function differ(one: Content, other: Content): boolean {
  return HASH_ALGORITHMS.some((algorithm) => {
    const [a, b] = [one.hashes[algorithm], other.hashes[algorithm]]
    return a !== undefined && b !== undefined && a !== b
  })
}

function certainGroup({ files, hashes }: Content, candidates: readonly Candidate[]): Group {
  const common = HASH_ALGORITHMS.find((one) => files.every((file) => file.hashes[one] !== undefined))
  const best = common ?? HASH_ALGORITHMS.find((one) => hashes[one] !== undefined)
  const ids = new Set(files.map(({ id }) => id))
  return {
    certain: true,
    match: common ? (common.toUpperCase() as DuplicateMatch) : 'SEVERAL_HASHES',
    hash: best ? `${best}:${hashes[best]}` : null,
    fileIds: ids.size === candidates.length ? candidates.map(({ id }) => id) : inOrder(candidates, ids),
  }
}

function inOrder(candidates: readonly Candidate[], ids: ReadonlySet<string>): string[] {
  return candidates.flatMap(({ id }) => (ids.has(id) ? [id] : []))
}

/** The contents of which hashes cannot tell whether they equal another one: there is no algorithm that both have. */
function undecidedAmong<Some extends Content>(contents: readonly Some[]): Some[] {
  const count = new Map<string, number>()
  for (const content of contents) count.set(hashKindOf(content), (count.get(hashKindOf(content)) ?? 0) + 1)
  const open = new Set(
    [...count.keys()].filter((kind) =>
      [...count].some(([other, number]) => (other !== kind || number > 1) && areDisjoint(kind, other)),
    ),
  )
  return contents.filter((content) => open.has(hashKindOf(content)))
}

/** The algorithms of which a content has a hash. */
function hashKindOf({ hashes }: Content): string {
  return HASH_ALGORITHMS.filter((algorithm) => hashes[algorithm] !== undefined).join(' ')
}

function areDisjoint(kind: string, other: string): boolean {
  const algorithms = new Set(other.split(' '))
  return kind === '' || !kind.split(' ').some((algorithm) => algorithms.has(algorithm))
}

/**
 * Contents with a file of the same name, then those with the same time; the first file of each. A group by time is left out when the group
 * by name that their first files are in has all of its contents.
 */
function likelyGroups(contents: readonly Content[], places: ReadonlyMap<string, number>): Group[] {
  const placeOf = ({ id }: Candidate) => places.get(id) ?? 0
  const byName = groupBy(contents, 'NAME', ({ nameKey }) => nameKey, placeOf)
  const named = new Map<Content, { readonly index: number; readonly place: number }>()
  for (const [index, { members }] of byName.entries()) {
    for (const [content, file] of members) {
      const place = placeOf(file)
      if (place < (named.get(content)?.place ?? Number.POSITIVE_INFINITY)) named.set(content, { index, place })
    }
  }
  const byTime = groupBy(contents, 'TIME', ({ time }) => String(time), placeOf).filter(({ members }) => {
    const groups = new Set([...members.keys()].map((content) => named.get(content)?.index))
    return groups.size > 1 || groups.has(undefined)
  })
  return [...byName, ...byTime].map(({ group }) => group)
}

function groupBy(
  contents: readonly Content[],
  match: 'NAME' | 'TIME',
  keyOf: (file: Candidate) => string,
  placeOf: (file: Candidate) => number,
) {
  const groups = new Map<string, Map<Content, Candidate>>()
  for (const content of contents) {
    for (const file of content.files) {
      const members = groups.get(keyOf(file)) ?? new Map<Content, Candidate>()
      const first = members.get(content)
      if (!first || placeOf(file) < placeOf(first)) members.set(content, file)
      groups.set(keyOf(file), members)
    }
  }
  return [...groups.values()].flatMap((all) => {
    const open = all.size > 1 ? undecidedAmong([...all.keys()]) : []
    if (open.length === 0) return []
    const isOpen = new Set(open)
    const members = new Map([...all].filter(([content]) => isOpen.has(content)))
    const fileIds = [...members.values()].map(({ id }) => id)
    return [{ members, group: { certain: false, match, hash: null, fileIds } }]
  })
}
