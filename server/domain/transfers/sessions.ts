import type { Pool } from 'pg'
import type { Sealing } from '../../lib/sealing.ts'

/** What a sealed session belongs to. */
export function sessionContext(pieceId: string): string {
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
  { pool, sealing }: { pool: Pool; sealing: Pick<Sealing, 'seal'> },
  pieceId: string,
  session: string,
): Promise<void> {
  const { rowCount } = await pool.query(`update pieces set session = $2 where id = $1 and state = 'PLANNED'`, [
    pieceId,
    sealing.seal(session, sessionContext(pieceId)),
  ])
  if (rowCount === 0) throw new PieceGoneError()
}
