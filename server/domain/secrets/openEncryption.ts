import type pg from 'pg'
import { createEncryption, type Encryption, EncryptionError } from '../../lib/encryption.ts'
import { makeSecretFile, readSecretFile } from '../../storage/secretFile.ts'

/** The server must not start: it could not open what it has sealed, and would seal new things by another key. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'
}

const CHECK_CONTEXT = 'sealing_check'
const CHECK_TEXT = 'Skypool'

const LOST =
  'If the key is lost for good, empty the table sealing_check: the server then starts, and every account has to be connected again.'

export type OpenSealingDeps = {
  readonly pool: pg.Pool
  /** SECRET_KEY; null: the key of the file, which is made for a new database. */
  readonly keys: readonly [string, ...string[]] | null
  readonly file: string
}

/** The encryption of this server, tried on what the database holds. @throws WrongKeyError */
export async function openEncryption({ pool, keys, file }: OpenSealingDeps): Promise<Encryption> {
  const check = await readCheck(pool)
  const encryption = createEncryption(keys ?? [await keyOfFile(file, check === null)])
  const source = keys ? 'SECRET_KEY' : file
  if (check !== null) tryOn(check, encryption, source)
  else if (!(await writeCheck(pool, encryption))) tryOn((await readCheck(pool)) ?? '', encryption, source)
  return encryption
}

/** Seals the check by the key in use: from now on the older keys are needed no more. */
export async function renewCheck(pool: pg.Pool, encryption: Encryption): Promise<void> {
  await pool.query('update sealing_check set sealed = $1', [encryption.seal(CHECK_TEXT, CHECK_CONTEXT)])
}

async function keyOfFile(file: string, isNew: boolean): Promise<string> {
  const secret = await readSecretFile(file)
  if (secret !== null) return secret
  if (isNew) return makeSecretFile(file)
  throw new WrongKeyError(
    `The secret key is missing: accounts in the database are sealed by a key that was in ${file}. Please put that file back, or set SECRET_KEY to the key. ${LOST}`,
  )
}

async function readCheck(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ sealed: string }>('select sealed from sealing_check')
  return rows[0]?.sealed ?? null
}

/** false when another process was faster. */
async function writeCheck(pool: pg.Pool, encryption: Encryption): Promise<boolean> {
  const sealed = encryption.seal(CHECK_TEXT, CHECK_CONTEXT)
  const { rowCount } = await pool.query('insert into sealing_check (sealed) values ($1) on conflict do nothing', [
    sealed,
  ])
  return rowCount === 1
}

function tryOn(check: string, encryption: Encryption, source: string): void {
  try {
    encryption.open(check, CHECK_CONTEXT)
  } catch (error) {
    if (!(error instanceof EncryptionError)) throw error
    throw new WrongKeyError(
      `The secret key in ${source} is not the one that sealed what is in this database. Please use that key again; to change it, set SECRET_KEY to the new key, a comma and the old key. ${LOST}`,
    )
  }
}
