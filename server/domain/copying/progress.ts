import type { Pool } from 'pg'
import { newId } from '../../lib/ids.ts'
import type { CopyFiles, File } from '../files/contract.ts'
import { checkKey, claimKey, fingerprintOf, type Sql } from '../idempotency/keys.ts'
import type { Viewer } from '../viewer.ts'

/** What calls with one Idempotency-Key have created so far. */
export type Progress = {
  /** An earlier call has copied everything. */
  readonly isDone: boolean
  /** The id of the copy of a file of the tree `topId`; undefined when there is none yet. */
  copyOf(topId: string, fileId: string): string | undefined
  /** After this, another call with the key continues where this one stops. @throws IdempotencyKeyReusedError */
  begin(): Promise<void>
  /** The idempotency key for the copy of one entry; undefined for a call without a key. */
  keyOf(topId: string, fileId: string): string | undefined
  end(): Promise<void>
}

const WITHOUT_KEY: Progress = {
  isDone: false,
  copyOf: () => undefined,
  begin: async () => undefined,
  keyOf: () => undefined,
  end: async () => undefined,
}

/** Each entry is copied under a separate key, which clients cannot guess: it contains an id that is never exposed. */
export async function openProgress(
  pool: Pool,
  { userId }: Viewer,
  { ids, parentId, groupCloudId }: CopyFiles,
  key: string | undefined,
): Promise<Progress> {
  if (key === undefined) return WITHOUT_KEY
  checkKey(key)
  const sql: Sql = async (text, values) => (await pool.query(text, [...values])).rows
  const fingerprint = fingerprintOf([...ids, parentId, groupCloudId ?? null])
  const asked = { userId, key, operation: 'copyFiles', fingerprint }
  let runId = await findRun(sql, asked)
  const made = runId === null ? new Map<string, string>() : await findMade(sql, userId, prefixOf(runId))
  const begun = () => prefixOf(runId ?? '')
  return {
    isDone: made.has(DONE),
    copyOf: (topId, fileId) => made.get(suffixOf(topId, fileId)),
    async begin() {
      const resultId = newId()
      runId = (await claimKey(sql, { ...asked, resultId })) ?? resultId
    },
    keyOf: (topId, fileId) => `${begun()}${suffixOf(topId, fileId)}`,
    async end() {
      await claimKey(sql, { ...asked, key: `${begun()}${DONE}`, resultId: newId() })
    },
  }
}

const DONE = 'done'
const prefixOf = (runId: string): string => `copy ${runId} `
const suffixOf = (topId: string, fileId: string): string => `${topId} ${fileId}`

type Asked = {
  readonly userId: string
  readonly key: string
  readonly operation: string
  readonly fingerprint: Buffer
}

async function findRun(sql: Sql, { userId, key, operation, fingerprint }: Asked): Promise<string | null> {
  const [row] = await sql(
    `select result_id::text as run_id from idempotency_keys where user_id = $1::uuid and key = $2 and operation = $3
     and fingerprint = $4 and created_at >= now() - interval '24 hours'`,
    [userId, key, operation, fingerprint],
  )
  return typeof row?.run_id === 'string' ? row.run_id : null
}

async function findMade(sql: Sql, userId: string, prefix: string): Promise<Map<string, string>> {
  const rows = await sql(
    'select key, result_id::text as made_id from idempotency_keys where user_id = $1::uuid and starts_with(key, $2)',
    [userId, prefix],
  )
  return new Map(rows.map((row) => [String(row.key).slice(prefix.length), String(row.made_id)]))
}

/** Ids of the copies of `tops`. */
export function copiesOf(progress: Progress, tops: readonly Pick<File, 'id'>[]): string[] {
  return tops.flatMap(({ id }) => progress.copyOf(id, id) ?? [])
}
