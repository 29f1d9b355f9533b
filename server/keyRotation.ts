import type pg from 'pg'
import { createAfterChange, markExpired } from './domain/accounts/health.ts'
import type { ActivityLog } from './domain/activity/contract.ts'
import type { Events } from './domain/events.ts'
import { rotateKeys } from './domain/secrets/rotateKeys.ts'
import { attemptsOf } from './jobs/allTasks.ts'
import type { Encryption } from './lib/encryption.ts'
import type { Logger } from './lib/logger.ts'
import { createEnqueue } from './queue/enqueue.ts'

export type KeyRotationDeps = {
  readonly pool: pg.Pool
  readonly events: Events
  readonly activity: ActivityLog
  readonly encryption: Encryption
  readonly logger: Logger
}

/** Re-encrypts, in the background, secrets that were encrypted with an older key. */
export function startKeyRotation({ pool, events, activity, encryption, logger }: KeyRotationDeps): {
  stop(): Promise<void>
} {
  const stopping = new AbortController()
  const afterChange = createAfterChange({ pool, events, activity, enqueue: createEnqueue(attemptsOf) })
  const onLost = async (accountId: string) => {
    const expired = await markExpired(pool, accountId, 'the secret key of this server was changed')
    if (expired) await afterChange(accountId, { expired })
  }
  const onError = (err: unknown) => logger.error({ err }, 'A secret cannot be decrypted with any key of SECRET_KEY')
  const done = rotateKeys({ pool, encryption, signal: stopping.signal, onError, onLost }).then(
    (count) =>
      count > 0 && logger.info({ count }, 'Secrets were re-encrypted; older keys can be removed from SECRET_KEY'),
    (err: unknown) => logger.error({ err }, 'Re-encrypting secrets failed; it is retried at the next start'),
  )
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}
