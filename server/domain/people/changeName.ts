import { InvalidInputError, UnauthenticatedError } from '../errors.ts'
import { nameErrors } from '../users/rules.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import type { PeopleDeps } from './deps.ts'

const RENAME = `update users u set full_name = $2, updated_at = now()
  from (select id, full_name from users where id = $1 and deleted_at is null for update) was
  where u.id = was.id returning was.full_name as from`

/** @throws InvalidInputError */
export async function changeName({ pool, activity }: PeopleDeps, viewer: Viewer, fullName: string): Promise<void> {
  sessionOf(viewer)
  const errors = nameErrors('fullName', fullName)
  if (errors.length > 0) throw new InvalidInputError(errors)
  const to = fullName.trim().normalize('NFC')
  const { rows } = await pool.query<{ from: string }>(RENAME, [viewer.userId, to])
  const [changed] = rows
  if (!changed) throw new UnauthenticatedError()
  if (changed.from === to) return
  const subject = { type: 'User', id: viewer.userId, name: to } as const
  activity.record({ kind: 'VIEWER', viewer }, { action: 'NAME_CHANGED', subject, details: { from: changed.from, to } })
}
