import { transaction } from '../../db/transaction.ts'
import type { PeopleHousekeeping } from '../housekeeping.ts'
import { type RemoveUserDeps, removalKey, removeUser } from './removeUser.ts'

export function createPeopleHousekeeping(deps: RemoveUserDeps): PeopleHousekeeping {
  return {
    removeUser: (userId, signal) => removeUser(deps, userId, signal),

    async resumeRemovals() {
      await transaction(deps.pool, async (tx) => {
        const { rows } = await tx.query<{ id: string }>(
          `select id from users where deleted_at < now() - interval '1 hour'`,
        )
        for (const { id: userId } of rows) await deps.enqueue(tx, 'deleteUser', { userId }, { key: removalKey(userId) })
      })
    },
  }
}
