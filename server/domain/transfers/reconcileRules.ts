import type { PoolClient } from 'pg'
import { presentSql } from '../files/content/states.ts'
import type { Copy } from '../files/contract.ts'
import { EXTRA_ONLY } from '../groupClouds/members.ts'
import type { ReconcileScope } from '../jobs.ts'
import type { TransferKind } from './contract.ts'

/** What reconciling needs to know about a copy. */
export type CopyFacts = {
  readonly id: string
  readonly state: Copy['state']
  /** Reading it repeatedly returned wrong bytes: it counts as lost until it is read correctly. */
  readonly suspect: boolean
  /** Its transfer has not ended; it may be stopped. */
  readonly open: boolean
  /** The object was edited in its account: the copy stays listed so that the user can keep that version. */
  readonly changed: boolean
  readonly pieceIds: readonly string[]
  /** Accounts of its pieces, each once. */
  readonly accounts: readonly {
    readonly id: string
    readonly lost: boolean
    /** Disconnected longer than GONE_AFTER ago. */
    readonly gone: boolean
    readonly place: 'MEMBER' | 'DRAINING' | 'FOREIGN'
    /** It may not hold the only copy of a file. */
    readonly extraOnly?: boolean
  }[]
}

export type FileFacts = {
  readonly wanted: number
  /** The account that takes none of its copies, because they protect its files. */
  readonly protectedAccountId?: string | null
  /** The uploaded bytes are still staged on this server. */
  readonly staged: boolean
  /** Number of copies whose transfers the user cancelled recently. */
  readonly cancelledCopies: number
  /** Number of moves and drains that the user cancelled: such a copy stays where it is, and is still repaired. */
  readonly cancelledMoves: number
  /** Oldest first. */
  readonly copies: readonly CopyFacts[]
}

export type Reconciliation = {
  readonly drop: readonly CopyFacts[]
  /** How many copies to plan, and the accounts that may hold none of them. `hasMainCopy` as in PlacementRules. */
  readonly plan: {
    readonly count: number
    readonly kind: TransferKind
    readonly exclude: ReadonlySet<string>
    readonly hasMainCopy: boolean
  } | null
}

/**
 * Decides which copies to drop and how many to plan, so that a file matches its group cloud. Copies are dropped only when enough
 * others can be read from members of the group cloud. Copies on accounts that are lost for now stay: they count again when the
 * accounts are back. One copy is always on accounts that may hold the only one.
 */
export function planReconciliation({
  wanted,
  protectedAccountId,
  staged,
  cancelledCopies,
  cancelledMoves,
  copies,
}: FileFacts): Reconciliation {
  const readable = copies.filter(
    (copy) => copy.state === 'STORED' && !copy.suspect && copy.accounts.every(({ lost }) => !lost),
  )
  const good = readable.filter(isPlaced)
  if (good.length >= wanted && (good.length === 0 || good.some(isMain))) {
    return { drop: surplus(copies, good, wanted), plan: null }
  }
  const open = copies.filter((copy) => copy.state === 'STORING' && copy.open)
  const kind = kindOf(readable)
  const isMove = kind === 'MOVE' || kind === 'DRAIN'
  const hasMainCopy = [...good, ...open].some(isMain)
  const lacking = wanted - good.length - open.length
  const asked = good.length > 0 && !hasMainCopy ? Math.max(lacking, 1) : lacking
  const count = asked - cancelledCopies - (isMove ? cancelledMoves : 0)
  if (count <= 0 || (!staged && readable.length === 0)) return { drop: [], plan: null }
  const exclude = new Set([...good, ...open].flatMap(({ accounts }) => accounts.map(({ id }) => id)))
  if (protectedAccountId) exclude.add(protectedAccountId)
  return { drop: [], plan: { count, kind, exclude, hasMainCopy } }
}

function isMain({ accounts }: CopyFacts): boolean {
  return accounts.every(({ extraOnly = false }) => !extraOnly)
}

function isPlaced({ accounts }: CopyFacts): boolean {
  return accounts.every(({ place }) => place === 'MEMBER')
}

function kindOf(readable: readonly CopyFacts[]): TransferKind {
  const places = new Set(readable.flatMap(({ accounts }) => accounts.map(({ place }) => place)))
  if (readable.length === 0) return 'STORE'
  if (places.has('FOREIGN')) return 'MOVE'
  return places.has('DRAINING') ? 'DRAIN' : 'REPAIR'
}

/** All copies but the oldest good ones, of which at least one may be the only one, those that may recover and those whose edited version is offered. */
function surplus(copies: readonly CopyFacts[], good: readonly CopyFacts[], wanted: number): CopyFacts[] {
  const oldest = good.slice(0, wanted)
  const main = oldest.some(isMain) ? undefined : good.find(isMain)
  const kept = new Set(main ? [...oldest.slice(0, -1), main] : oldest)
  const mayRecover = ({ state, accounts }: CopyFacts) =>
    state === 'STORED' && accounts.some(({ lost }) => lost) && !accounts.some(({ gone }) => gone)
  const isOffered = (copy: CopyFacts) => copy.changed && isPlaced(copy) && !copy.accounts.some(({ gone }) => gone)
  return copies.filter((copy) => !kept.has(copy) && !mayRecover(copy) && !isOffered(copy))
}

/** For this long a copy whose transfer the user cancelled is not planned again. The cancelled transfer is listed for the same time. */
const CANCELLED_FOR = '24 hours'

/** Copies on a disconnected account are kept as long as the trash keeps files; after that they are dropped once others replace them. */
export const GONE_AFTER = '30 days'

/** Files of one transaction. */
export const RECONCILE_BATCH = 200

export type FileToReconcile = FileFacts & { readonly id: string; readonly groupCloudId: string; readonly size: number }

const NIL = '00000000-0000-0000-0000-000000000000'

/** Files that the account holds, and files at risk that may find room on it again. */
const OF_ACCOUNT = `select f.id from files f where f.user_id = $1 and f.id > $2 and f.purged_at is null and (
    f.id in (select c.file_id from pieces p join copies c on c.id = p.copy_id where p.account_id = $3)
    or f.state = 'AT_RISK' and f.group_cloud_id in (select group_cloud_id from group_cloud_members where account_id = $3))
  order by f.id limit $4`
const OF_GROUP_CLOUD = `select id from files where user_id = $1 and id > $2 and purged_at is null and kind = 'FILE'
  and group_cloud_id = $3 order by id limit $4`
/** Files that lack a copy and may find room for it. */
const AT_RISK = `select id from files where user_id = $1 and id > $2 and purged_at is null and state = 'AT_RISK'
  and group_cloud_id is not null and $3::boolean order by id limit $4`
const OF_IDS = `select id from files where user_id = $1 and id > $2 and purged_at is null and kind = 'FILE'
  and id = any($3::uuid[]) order by id limit $4`

/** The next files of a scope, in the order of their ids. */
export async function nextFileIds(tx: PoolClient, scope: ReconcileScope): Promise<string[]> {
  const { userId, accountId, groupCloudId, fileIds, room, after = NIL } = scope
  const [text, what] =
    accountId !== undefined
      ? ([OF_ACCOUNT, accountId] as const)
      : groupCloudId !== undefined
        ? ([OF_GROUP_CLOUD, groupCloudId] as const)
        : room === true
          ? ([AT_RISK, true] as const)
          : ([OF_IDS, fileIds ?? []] as const)
  const { rows } = await tx.query<{ id: string }>(text, [userId, after, what, RECONCILE_BATCH])
  return rows.map(({ id }) => id)
}

const LOAD = {
  name: 'transfers-load-settle',
  text: `select f.id, f.group_cloud_id as "groupCloudId", f.size::float8 as size, coalesce(f.wanted_copies, g.copies) as wanted,
      f.protected_account_id as "protectedAccountId",
      f.staged_ref is not null as staged,
      (select count(*)::int from transfers t
        where t.file_id = f.id and t.state = 'CANCELLED' and t.error is null and t.kind in ('STORE', 'REPAIR')
          and t.ended_at > $2::timestamptz - interval '${CANCELLED_FOR}') as "cancelledCopies",
      (select count(*)::int from transfers t
        where t.file_id = f.id and t.state = 'CANCELLED' and t.error is null and t.kind in ('MOVE', 'DRAIN')) as "cancelledMoves",
      coalesce((select json_agg(json_build_object('id', c.id, 'state', c.state, 'suspect', c.suspect_reads > 0,
          'open', exists (select from transfers t where t.copy_id = c.id and t.state not in ('DONE', 'CANCELLED')),
          'changed', exists (select from pieces p where p.copy_id = c.id and p.changed_at is not null),
          'pieceIds', (select coalesce(json_agg(p.id), '[]') from pieces p where p.copy_id = c.id),
          'accounts', (select coalesce(json_agg(json_build_object('id', a.id, 'lost', not ${presentSql('a')},
              'gone', coalesce(a.disconnected_at < $2::timestamptz - interval '${GONE_AFTER}', false), 'place',
              case when m.account_id is null then 'FOREIGN' when m.draining then 'DRAINING' else 'MEMBER' end,
              'extraOnly', ${EXTRA_ONLY})), '[]')
            from accounts a
              left join group_cloud_members m on m.account_id = a.id and m.group_cloud_id = f.group_cloud_id
            where a.id in (select p.account_id from pieces p where p.copy_id = c.id)))
          order by c.created_at, c.id)
        from copies c where c.file_id = f.id), '[]') as copies
    from files f join group_clouds g on g.id = f.group_cloud_id
    where f.id = any($1::uuid[]) and f.purged_at is null order by f.id`,
}

/** Locks and loads files; the caller has locked the accounts. Files without a group cloud are left out. */
export async function loadFiles(tx: PoolClient, ids: readonly string[], now: Date): Promise<FileToReconcile[]> {
  await tx.query('select from files where id = any($1::uuid[]) order by id for update', [ids])
  const { rows } = await tx.query<FileToReconcile>({ ...LOAD, values: [ids, now] })
  return rows
}
