import type pg from 'pg'
import type { Mailer } from '../../mail/mailer.ts'
import type { Events } from '../events.ts'
import type { Enqueue } from '../jobs.ts'
import type { ActivityLog } from '../services/activity.ts'
import type { Passwords } from '../users/passwords.ts'

export type PeopleDeps = {
  readonly pool: pg.Pool
  readonly enqueue: Enqueue
  readonly activity: ActivityLog
  readonly events: Pick<Events, 'publish'>
  readonly passwords: Passwords
  readonly mailer: Pick<Mailer, 'forget'>
}
