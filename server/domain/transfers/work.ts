import type { ClientBase, Pool } from 'pg'
import type { TransferKind } from './contract.ts'

/** What changes when an account may have other room than before. */
export type AccountQuota = {
  readonly quotaBytes: number | null
  readonly usedBytes: number
  /** When its provider was asked last, as text. */
  readonly checkedAt: string | null
}

/** A piece of a copy under way. */
export type PieceWork = {
  readonly id: string
  readonly accountId: string
  readonly accountName: string
  readonly accountUnreachable: boolean
  readonly accountDisconnected: boolean
  /** What was known of its quota before anything was sent. */
  readonly accountQuota: AccountQuota
  /** The folder that holds our objects there; null until it is known. */
  readonly homeRef: string | null
  readonly index: number
  readonly offset: number
  readonly size: number
  readonly state: 'PLANNED' | 'STORED'
  /** Sealed. */
  readonly session: string | null
  readonly sentBytes: number
}

/** A transfer under way, as its runner sees it. */
export type TransferWork = {
  readonly id: string
  readonly userId: string
  readonly kind: TransferKind
  readonly attempts: number
  readonly copyId: string
  readonly fileId: string
  readonly fileName: string
  readonly fileSize: number
  readonly mimeType: string | null
  readonly groupCloudId: string | null
  /** It was made as a copy of another file. */
  readonly isCopied: boolean
  readonly pieces: readonly PieceWork[]
}

const LOAD = {
  name: 'transfers-load',
  text: `select t.id, t.user_id as "userId", t.kind, t.attempts, c.id as "copyId", f.id as "fileId", f.name as "fileName",
      f.size::float8 as "fileSize", f.mime_type as "mimeType", f.group_cloud_id as "groupCloudId",
      f.copied_from is not null as "isCopied", p.pieces
    from transfers t join copies c on c.id = t.copy_id join files f on f.id = t.file_id
      cross join lateral (
        select coalesce(json_agg(json_build_object('id', p.id, 'accountId', p.account_id, 'accountName', a.name,
          'accountUnreachable', a.unreachable_since is not null, 'accountDisconnected', a.disconnected_at is not null,
          'accountQuota', json_build_object('quotaBytes', a.quota_bytes, 'usedBytes', a.used_bytes, 'checkedAt', a.quota_checked_at::text),
          'homeRef', a.home_ref, 'index', p.index, 'offset', p."offset", 'size', p.size, 'state', p.state,
          'session', p.session, 'sentBytes', p.sent_bytes) order by p.index), '[]') as pieces
        from pieces p join accounts a on a.id = p.account_id where p.copy_id = c.id) p
    where t.id = $1 and t.state = 'RUNNING' and f.purged_at is null`,
}

/** The transfer with its pieces; null when it does not run any more, or its copy or file is gone. */
export async function loadWork(sql: Pool | ClientBase, transferId: string): Promise<TransferWork | null> {
  const { rows } = await sql.query<TransferWork>({ ...LOAD, values: [transferId] })
  return rows[0] ?? null
}

/** Bytes that the provider has of a piece, as far as its row knows. */
export function sentOf({ state, size, sentBytes }: PieceWork): number {
  return state === 'STORED' ? size : sentBytes
}
