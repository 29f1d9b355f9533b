import type pg from 'pg'
import { NotFoundError, PasswordRequiredError } from '../errors.ts'
import { FILE_COLUMNS, type FileRow, toFile } from '../files/rows.ts'
import type { Visitor } from '../services/shares.ts'
import type { File } from '../services.ts'
import type { Proofs } from './proof.ts'
import type { RequestRate } from './requestRate.ts'
import { isReachable, NOT_ENDED } from './rows.ts'

const GONE = 'This link does not work. It may have expired, been used up or been taken back.'

/** The one refusal of what is unknown, has ended, or is not there to be shared now. */
export function linkGone(): NotFoundError {
  return new NotFoundError(GONE)
}

/** A share that opens, with what its gate goes by. */
export type OpenShare = {
  readonly id: string
  readonly userId: string
  readonly ownerName: string
  readonly passwordHash: string | null
  readonly expiresAt: Date | null
  readonly maxDownloads: number | null
  readonly downloads: number
  readonly file: File
  /** Seconds of the database clock. */
  readonly now: number
}

type Row = FileRow & {
  readonly share_id: string
  readonly user_id: string
  readonly full_name: string
  readonly password_hash: string | null
  readonly expires_at: Date | null
  readonly max_downloads: number | null
  readonly downloads: number
  readonly now: number
}

/** Of `shares s`, `files f` and `users u`: everything that lets a share open, but for its password. */
const OPENS = `${NOT_ENDED} and u.deleted_at is null and ${isReachable('f.id')}`

const FIND = {
  name: 'share that opens',
  text: `select ${FILE_COLUMNS}, s.id as share_id, s.user_id, u.full_name, s.password_hash, s.expires_at, s.max_downloads,
      s.downloads, extract(epoch from now())::float8 as now
    from shares s join files f on f.id = s.file_id join users u on u.id = s.user_id where s.id = $1 and ${OPENS}`,
}

export type GateDeps = { readonly pool: pg.Pool; readonly rate: RequestRate; readonly proofs: Proofs }

export type Gate = {
  /** A share that opens, proven or not. @throws NotFoundError, TooManyRequestsError */
  knock(visitor: Visitor, id: string, continues?: boolean): Promise<OpenShare>
  isProven(visitor: Visitor, share: OpenShare): boolean
  /** A share whose content may be shown. @throws as knock; PasswordRequiredError */
  pass(visitor: Visitor, id: string, continues?: boolean): Promise<OpenShare>
}

/** What every route of a share goes through. */
export function createGate({ pool, rate, proofs }: GateDeps): Gate {
  async function knock({ address }: Visitor, id: string, continues = false): Promise<OpenShare> {
    rate.take(address, continues)
    const { rows } = await pool.query<Row>({ ...FIND, values: [id] })
    const [row] = rows
    if (!row) throw linkGone()
    return toOpenShare(row)
  }

  const isProven = ({ proof }: Visitor, share: OpenShare) =>
    share.passwordHash === null || proofs.holds(share, share.now, proof)

  return {
    knock,
    isProven,
    async pass(visitor, id, continues) {
      const share = await knock(visitor, id, continues)
      if (!isProven(visitor, share)) throw new PasswordRequiredError()
      return share
    },
  }
}

function toOpenShare(row: Row): OpenShare {
  return {
    id: row.share_id,
    userId: row.user_id,
    ownerName: row.full_name,
    passwordHash: row.password_hash,
    expiresAt: row.expires_at,
    maxDownloads: row.max_downloads,
    downloads: row.downloads,
    file: toFile(row),
    now: row.now,
  }
}
