import type { Pool } from 'pg'
import type { Encryption } from '../../../lib/encryption.ts'

/**
 * A driver's session, and the name of the object that it makes: the next try asks for the same one, whatever the file is called
 * by then, or what the session has stored would not be found again.
 */
export type SavedSession = { readonly name: string; readonly session: string }

/** What a sealed session belongs to. */
function sessionContext(pieceId: string): string {
  return `pieces:${pieceId}`
}

/** The piece is not to be sent any more: its copy was given up. */
export class PieceGoneError extends Error {
  override readonly name = 'PieceGoneError'
  constructor() {
    super('This piece is not to be sent any more.')
  }
}

/** @throws PieceGoneError */
export async function saveSession(
  { pool, encryption }: { pool: Pool; encryption: Pick<Encryption, 'seal'> },
  pieceId: string,
  { name, session }: SavedSession,
): Promise<void> {
  const { rowCount } = await pool.query(`update pieces set session = $2 where id = $1 and state = 'PLANNED'`, [
    pieceId,
    encryption.seal(JSON.stringify({ name, session }), sessionContext(pieceId)),
  ])
  if (rowCount === 0) throw new PieceGoneError()
}

/** @throws EncryptionError */
export function openSession(
  encryption: Pick<Encryption, 'open'>,
  { id, session }: { readonly id: string; readonly session: string | null },
): SavedSession | null {
  return session === null ? null : parseSession(encryption.open(session, sessionContext(id)))
}

/** Of an opened text. */
export function parseSession(text: string): SavedSession {
  return JSON.parse(text) as SavedSession
}
