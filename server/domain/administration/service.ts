import type pg from 'pg'
import { NotAdministratorError, NotFoundError, RegistrationClosedError } from '../errors.ts'
import type { AdministrationService, RegistrationMode } from '../services/administration.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import { createInvitation, findInvitation, listInvitations, revokeInvitation } from './invitations.ts'

export type AdministrationDeps = {
  readonly pool: pg.Pool
  /** REGISTRATION. */
  readonly registration: RegistrationMode
}

const OVERVIEW = `select (select count(*)::int from users where deleted_at is null) as users,
  coalesce(sum(used_bytes + reserved_bytes), 0)::float8 as "usedBytes",
  (select total_quota_bytes from server_limits where id = 1)::float8 as "totalBytes"
  from accounts where provider = 'local'`

/** Who may sign up, and what the administrator sees of the server. */
export function createAdministrationService({ pool, registration }: AdministrationDeps): AdministrationService {
  /** A session of an administrator, as the database has it now. @throws NotAdministratorError, KeyRefusedError */
  async function requireAdministrator(viewer: Viewer): Promise<void> {
    sessionOf(viewer)
    if (!(await isAdministrator(viewer))) throw new NotAdministratorError()
  }
  async function isAdministrator({ userId }: Viewer): Promise<boolean> {
    const text = `select from users where id = $1 and role = 'ADMINISTRATOR' and deleted_at is null`
    return (await pool.query(text, [userId])).rowCount === 1
  }

  return {
    async registration() {
      if (registration === 'OPEN') return registration
      const { rowCount } = await pool.query('select from users where deleted_at is null limit 1')
      return rowCount === 0 ? 'OPEN' : registration
    },
    async offer(token) {
      if (registration === 'CLOSED') return null
      const found = await findInvitation(pool, token)
      return found && { email: found.email, expiresAt: found.expiresAt }
    },
    isAdministrator,
    async overview(viewer) {
      await requireAdministrator(viewer)
      const { rows } = await pool.query<{ users: number; usedBytes: number; totalBytes: number | null }>(OVERVIEW)
      return { registration, ...(rows[0] ?? { users: 0, usedBytes: 0, totalBytes: null }) }
    },
    async invitations(viewer) {
      await requireAdministrator(viewer)
      return listInvitations(pool)
    },
    async invite(viewer, input) {
      await requireAdministrator(viewer)
      if (registration === 'CLOSED') throw new RegistrationClosedError('CLOSED')
      return createInvitation(pool, viewer.userId, input)
    },
    async revokeInvitation(viewer, id) {
      sessionOf(viewer)
      if (!(await isAdministrator(viewer))) throw new NotFoundError()
      await revokeInvitation(pool, id)
    },
  }
}
