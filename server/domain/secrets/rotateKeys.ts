import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { transaction } from '../../db/pool.ts'
import { createEncryption, type Encryption, EncryptionError } from '../../lib/encryption.ts'
import { createSecretFile, readSecretFile } from '../../storage/secretFile.ts'

const BATCH = 200

/** All columns with encrypted texts. A text can be preceded by its context and a space; otherwise its context is `<context>:<id>`. */
const ENCRYPTED = [
  { table: 'account_credentials', id: 'account_id', column: 'sealed', context: 'account_credentials' },
  { table: 'oauth_states', id: 'id', column: 'verifier', context: 'oauth_states' },
  { table: 'pieces', id: 'id', column: 'session', context: 'pieces' },
  { table: 'file_job_items', id: 'id', column: 'session', context: 'fileJobItems' },
  { table: 'object_removals', id: 'id', column: 'session', context: 'object_removals' },
  { table: 'api_keys', id: 'id', column: 'sealed_key', context: 'api_keys' },
] as const
/** Delay before retrying rows that were locked. */
const PAUSE_MS = 250
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

type Place = (typeof ENCRYPTED)[number]
type Row = { readonly id: string; readonly text: string }
type Pass = { readonly rotated: number; readonly lost: readonly string[] }

export type RotateKeysDeps = {
  readonly pool: pg.Pool
  readonly encryption: Encryption
  readonly signal: AbortSignal
  /** Called for each text that no key can decrypt; the text stays as it is. */
  readonly onError: (error: unknown) => void
  /** Called for accounts whose credentials cannot be decrypted: they have to be reconnected. */
  readonly onLost: (accountId: string) => Promise<void>
}

/**
 * Re-encrypts with the first key all texts that were encrypted with older keys, in batches, concurrently with normal use. The
 * check text comes last, so that the server refuses to start without the old key until all texts are done.
 * @returns the number of re-encrypted texts
 */
export async function rotateKeys(deps: RotateKeysDeps): Promise<number> {
  let done = 0
  for (const place of ENCRYPTED) done += await rotateColumn(place, deps)
  if (!deps.signal.aborted) await renewCheck(deps.pool, deps.encryption)
  return done
}

/** Skips locked rows until the next pass, so that neither this nor any other statement has to wait. */
async function rotateColumn(place: Place, deps: RotateKeysDeps): Promise<number> {
  for (let done = 0; ; ) {
    const { rotated, lost } = await pass(place, deps)
    done += rotated
    if (deps.signal.aborted || (await countOlder(place, deps)) <= lost.length) {
      if (place.table === 'account_credentials') for (const id of lost) await deps.onLost(id)
      return done
    }
    await sleep(PAUSE_MS, undefined, { signal: deps.signal }).catch(() => {})
  }
}

async function pass(place: Place, deps: RotateKeysDeps): Promise<Pass> {
  let rotated = 0
  const lost: string[] = []
  for (let after: string | null = FIRST_ID; after !== null && !deps.signal.aborted; ) {
    const rows: readonly Row[] = await transaction(deps.pool, async (client) => {
      const found = await lockOlder(client, place, after, deps.encryption)
      const encrypted = found.flatMap((row) => reencrypt(row, place, deps))
      await writeAll(client, place, encrypted)
      rotated += encrypted.length
      const done = new Set(encrypted.map(({ id }) => id))
      lost.push(...found.flatMap(({ id }) => (done.has(id) ? [] : [id])))
      return found
    })
    after = rows.at(-1)?.id ?? null
  }
  return { rotated, lost }
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

async function countOlder(place: Place, { pool, encryption }: RotateKeysDeps): Promise<number> {
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

function reencrypt({ id, text }: Row, { context }: Place, { encryption, onError }: RotateKeysDeps): Row[] {
  const at = text.lastIndexOf(' ') + 1
  const place = at === 0 ? `${context}:${id}` : text.slice(0, at - 1)
  try {
    return [{ id, text: text.slice(0, at) + encryption.encrypt(encryption.decrypt(text.slice(at), place), place) }]
  } catch (error) {
    onError(error)
    return []
  }
}

/** The server must not start: it could not decrypt existing secrets, and would encrypt new ones with a different key. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'
}

const CHECK_CONTEXT = 'sealing_check'
const CHECK_TEXT = 'Skypool'

const LOST =
  'If the key is lost permanently, empty the table sealing_check: the server then starts, and every account has to be connected again.'

export type OpenEncryptionDeps = {
  readonly pool: pg.Pool
  /** SECRET_KEY; null: the key in `file`, which is created for a new database. */
  readonly keys: readonly [string, ...string[]] | null
  readonly file: string
}

/** The encryption of this server, verified with the check text in the database. @throws WrongKeyError */
export async function openEncryption({ pool, keys, file }: OpenEncryptionDeps): Promise<Encryption> {
  const check = await readCheck(pool)
  const encryption = createEncryption(keys ?? [await keyOfFile(file, check === null)])
  const source = keys ? 'SECRET_KEY' : file
  if (check !== null) verify(check, encryption, source)
  else if (!(await writeCheck(pool, encryption))) verify((await readCheck(pool)) ?? '', encryption, source)
  return encryption
}

/** Encrypts the check text with the current key: from then on older keys are no longer needed. */
async function renewCheck(pool: pg.Pool, encryption: Encryption): Promise<void> {
  await pool.query('update sealing_check set sealed = $1', [encryption.encrypt(CHECK_TEXT, CHECK_CONTEXT)])
}

async function keyOfFile(file: string, isNew: boolean): Promise<string> {
  const secret = await readSecretFile(file)
  if (secret !== null) return secret
  if (isNew) return createSecretFile(file)
  throw new WrongKeyError(
    `The secret key is missing: accounts in the database are encrypted with a key that was in ${file}. Please put that file back, or set SECRET_KEY to the key. ${LOST}`,
  )
}

async function readCheck(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ sealed: string }>('select sealed from sealing_check')
  return rows[0]?.sealed ?? null
}

/** @returns false when another process has written it */
async function writeCheck(pool: pg.Pool, encryption: Encryption): Promise<boolean> {
  const encrypted = encryption.encrypt(CHECK_TEXT, CHECK_CONTEXT)
  const { rowCount } = await pool.query('insert into sealing_check (sealed) values ($1) on conflict do nothing', [
    encrypted,
  ])
  return rowCount === 1
}

function verify(check: string, encryption: Encryption, source: string): void {
  try {
    encryption.decrypt(check, CHECK_CONTEXT)
  } catch (error) {
    if (!(error instanceof EncryptionError)) throw error
    throw new WrongKeyError(
      `The secret key in ${source} does not match this database. Please use that key again; to change it, set SECRET_KEY to the new key, a comma and the old key. ${LOST}`,
    )
  }
}
