import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { transaction } from '../../db/transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { renewCheck } from './openEncryption.ts'

const BATCH = 200

/** Every column that holds sealed texts, alone or after their context and a space. The context is otherwise `<context>:<id>`. */
const SEALED = [
  { table: 'account_credentials', id: 'account_id', column: 'sealed', context: 'account_credentials' },
  { table: 'oauth_states', id: 'id', column: 'verifier', context: 'oauth_states' },
  { table: 'pieces', id: 'id', column: 'session', context: 'pieces' },
  { table: 'object_removals', id: 'id', column: 'session', context: 'object_removals' },
  { table: 'api_keys', id: 'id', column: 'sealed_key', context: 'api_keys' },
] as const
/** Between two looks at rows that others hold. */
const PAUSE_MS = 250
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

type Place = (typeof SEALED)[number]
type Row = { readonly id: string; readonly text: string }
type Pass = { readonly sealed: number; readonly hopeless: readonly string[] }

export type SealAnewDeps = {
  readonly pool: pg.Pool
  readonly encryption: Encryption
  readonly signal: AbortSignal
  /** Told about each text that no key opens; it is left as it is. */
  readonly onError: (error: unknown) => void
  /** What opens this account is lost: it has to be connected again. */
  readonly onLost: (accountId: string) => Promise<void>
}

/**
 * Seals by the first key what an older one sealed, a batch at a time while others read and write: a text means the same before
 * and after. The check comes last, so that a keyring without the old key is refused until all is done.
 * @returns how many were sealed anew
 */
export async function rotateKeys(deps: SealAnewDeps): Promise<number> {
  let done = 0
  for (const place of SEALED) done += await sealPlace(place, deps)
  if (!deps.signal.aborted) await renewCheck(deps.pool, deps.encryption)
  return done
}

/** Rows that somebody holds are passed over, and come in the next pass: no call waits for this, and this for no call. */
async function sealPlace(place: Place, deps: SealAnewDeps): Promise<number> {
  for (let done = 0; ; ) {
    const { sealed, hopeless } = await pass(place, deps)
    done += sealed
    if (deps.signal.aborted || (await countOlder(place, deps)) <= hopeless.length) {
      if (place.table === 'account_credentials') for (const id of hopeless) await deps.onLost(id)
      return done
    }
    await sleep(PAUSE_MS, undefined, { signal: deps.signal }).catch(() => {})
  }
}

async function pass(place: Place, deps: SealAnewDeps): Promise<Pass> {
  let sealed = 0
  const hopeless: string[] = []
  for (let after: string | null = FIRST_ID; after !== null && !deps.signal.aborted; ) {
    const rows: readonly Row[] = await transaction(deps.pool, async (client) => {
      const found = await lockOlder(client, place, after, deps.encryption)
      const again = found.flatMap((row) => sealRow(row, place, deps))
      await writeAll(client, place, again)
      sealed += again.length
      const opened = new Set(again.map(({ id }) => id))
      hopeless.push(...found.flatMap(({ id }) => (opened.has(id) ? [] : [id])))
      return found
    })
    after = rows.at(-1)?.id ?? null
  }
  return { sealed, hopeless }
}

const older = ({ column }: Place) => `${column} is not null and not starts_with(substring(${column} from '[^ ]*$'), $1)`

async function lockOlder(client: pg.ClientBase, place: Place, after: string | null, { prefix }: Encryption) {
  const { table, id, column } = place
  const { rows } = await client.query<Row>(
    `select ${id} as id, ${column} as text from ${table} where ${older(place)} and ${id} > $2
     order by ${id} limit $3 for update skip locked`,
    [prefix, after, BATCH],
  )
  return rows
}

async function countOlder(place: Place, { pool, encryption }: SealAnewDeps): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from ${place.table} where ${older(place)}`,
    [encryption.prefix],
  )
  return rows[0]?.count ?? 0
}

async function writeAll(client: pg.ClientBase, { table, id, column }: Place, rows: readonly Row[]): Promise<void> {
  await client.query(
    `update ${table} t set ${column} = n.text from unnest($1::uuid[], $2::text[]) n(id, text) where t.${id} = n.id`,
    [rows.map((row) => row.id), rows.map((row) => row.text)],
  )
}

function sealRow({ id, text }: Row, { context }: Place, { encryption, onError }: SealAnewDeps): Row[] {
  const at = text.lastIndexOf(' ') + 1
  const place = at === 0 ? `${context}:${id}` : text.slice(0, at - 1)
  try {
    return [{ id, text: text.slice(0, at) + encryption.seal(encryption.open(text.slice(at), place), place) }]
  } catch (error) {
    onError(error)
    return []
  }
}
