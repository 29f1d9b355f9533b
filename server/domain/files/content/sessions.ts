import type { Pool } from 'pg'
import type { Encryption } from '../../../lib/encryption.ts'

/**
 * A driver's upload session, and the name of the object that it creates. The next attempt uses the same name, even if
 * the file was renamed: otherwise what the session has stored would not be found.
 */
export type SavedSession = { readonly name: string; readonly session: string }

/** The encryption context of a session. */
function sessionContext(pieceId: string): string {
  return `pieces:${pieceId}`
}

/** The piece must not be sent any more: its copy was given up. */
export class PieceGoneError extends Error {
  override readonly name = 'PieceGoneError'
  constructor() {
    super('This piece no longer needs to be sent.')
  }
}

/** @throws PieceGoneError */
export async function saveSession(
  { pool, encryption }: { pool: Pool; encryption: Pick<Encryption, 'encrypt'> },
  pieceId: string,
  { name, session }: SavedSession,
): Promise<void> {
  const { rowCount } = await pool.query(`update pieces set session = $2 where id = $1 and state = 'PLANNED'`, [
    pieceId,
    encryption.encrypt(JSON.stringify({ name, session }), sessionContext(pieceId)),
  ])
  if (rowCount === 0) throw new PieceGoneError()
}

/** @throws EncryptionError */
export function openSession(
  encryption: Pick<Encryption, 'decrypt'>,
  { id, session }: { readonly id: string; readonly session: string | null },
): SavedSession | null {
  return session === null ? null : parseSession(encryption.decrypt(session, sessionContext(id)))
}

/** From a decrypted text. */
function parseSession(text: string): SavedSession {
  return JSON.parse(text) as SavedSession
}

/** The value of `object_removals.session`: a session can be decrypted only in the context that it was encrypted for. */
export function removalSession(pieceId: string, encrypted: string): string {
  return `${sessionContext(pieceId)} ${encrypted}`
}

/** Decrypts such a value. @throws EncryptionError */
export function openRemovalSession(encryption: Pick<Encryption, 'decrypt'>, value: string): SavedSession {
  const [context = '', encrypted = ''] = value.split(' ')
  return parseSession(encryption.decrypt(encrypted, context))
}
