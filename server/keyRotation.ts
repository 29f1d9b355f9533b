import { setTimeout as sleep } from 'node:timers/promises'
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

export type KeyRotation = {
  /** Another server was started, which may have encrypted with an older key until then. */
  wake(): void
  stop(): Promise<void>
}

/** Delay before what failed is tried again. */
const RETRY_MS = 10_000

/** Re-encrypts, in the background, secrets that were encrypted with an older key. Several servers can do it at once. */
export function startKeyRotation({ pool, events, activity, encryption, logger }: KeyRotationDeps): KeyRotation {
  const stopping = new AbortController()
  const afterChange = createAfterChange({ pool, events, activity, enqueue: createEnqueue(attemptsOf) })
  const onLost = async (accountId: string) => {
    const expired = await markExpired(pool, accountId, 'the secret key of this server was changed')
    if (expired) await afterChange(accountId, { expired })
  }
  const onError = (err: unknown) => logger.error({ err }, 'A secret cannot be decrypted with any key of SECRET_KEY')
  const { signal } = stopping
  let again = true
  let running: Promise<void> | null = null

  async function rotate(): Promise<void> {
    while (again && !signal.aborted) {
      again = false
      try {
        const count = await rotateKeys({ pool, encryption, signal, onError, onLost })
        if (count > 0) logger.info({ count }, 'Secrets were re-encrypted; older keys can be removed from SECRET_KEY')
      } catch (err) {
        if (signal.aborted) return
        logger.error({ err }, 'Re-encrypting secrets failed; it is retried')
        again = true
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined)
      }
    }
  }

  function start(): void {
    running ??= rotate().finally(() => {
      running = null
      if (again && !signal.aborted) start()
    })
  }
  start()
  return {
    wake() {
      again = true
      start()
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
