import type pg from 'pg'
import { createEncryption, type Encryption, EncryptionError } from '../../lib/encryption.ts'
import { createSecretFile, readSecretFile } from '../../storage/secretFile.ts'

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
export async function renewCheck(pool: pg.Pool, encryption: Encryption): Promise<void> {
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
