import { Readable } from 'node:stream'
import type { Call, Content, Credentials, Driver, EntryRef, PutProgress } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import type { CredentialStore, StoredCredentials } from '../../../server/providers/providers.ts'
import { createMemoryCloud, type MemoryCloudOptions } from '../../fakes/memory/cloud.ts'
import type { Fault, Operation } from '../../fakes/memory/faults.ts'
import { memoryModule } from '../../fakes/memory/module.ts'
import { virtualClock } from './virtualClock.ts'

/** A cloud with one account on a virtual clock, the calls that reach it, and the faults that wait for them. */
export function setUp(options: MemoryCloudOptions = {}) {
  const clock = virtualClock()
  const calls: { readonly operation: Operation; readonly at: number }[] = []
  const faults: (Fault | null)[] = []
  const cloud = createMemoryCloud({ clock, chunkBytes: 1000, ...options })
  cloud.fault = (operation) => {
    calls.push({ operation, at: clock.now() })
    return faults.shift() ?? null
  }
  cloud.addAccount({ subject: 'alice' })
  const module = memoryModule(cloud)
  const credentials = cloud.signIn('alice')
  return { clock, calls, faults, cloud, module, credentials, driver: module.open(credentials) }
}

export function call(signal: AbortSignal = new AbortController().signal): Call {
  return { signal, requestId: 'request-1' }
}

export const transient: Fault = { kind: 'refused', code: 'Transient', status: 503 }
export const rateLimited = (retryAfterMs?: number): Fault => ({
  kind: 'refused',
  code: 'RateLimited',
  status: 429,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

export function contentOf(bytes: Buffer): Content & { opened: number[] } {
  const opened: number[] = []
  return {
    size: bytes.length,
    opened,
    open(start) {
      opened.push(start)
      return Readable.from([bytes.subarray(start)], { objectMode: false })
    },
  }
}

export function progress(session: string | null = null): PutProgress & { saved: string[] } {
  const saved: string[] = []
  return { session, saved, save: async (given) => void saved.push(given), onProgress: () => undefined }
}

export function putBytes(driver: Driver, bytes: Buffer, given = { content: contentOf(bytes), progress: progress() }) {
  const entry = { parent: driver.root, name: 'content.bin', size: bytes.length, mimeType: null }
  return driver.put(call(), entry, given.content, given.progress)
}

export async function readAll(driver: Driver, ref: EntryRef, range?: { start: number; end: number }): Promise<Buffer> {
  const { body } = await driver.get(call(), ref, range)
  return Buffer.concat(await body.toArray())
}

/** What a promise has come to; `pending` when it has come to nothing yet. */
export function outcomeOf(promise: Promise<unknown>): { now: unknown } {
  const outcome: { now: unknown } = { now: 'pending' }
  promise.then(
    () => {
      outcome.now = 'done'
    },
    (error: unknown) => {
      outcome.now = error instanceof ProviderError ? error.code : error
    },
  )
  return outcome
}

/** As the domain's, in memory: one refresh at a time. */
export function credentialStore(first: Credentials) {
  const state = {
    stored: { credentials: first, version: 1 } as StoredCredentials,
    expired: [] as string[],
    reads: 0,
    renewals: 0,
  }
  let renewal: Promise<StoredCredentials> | null = null
  const assertConnected = (): void => {
    if (state.expired.length > 0) {
      throw new ProviderError(
        'ReconnectNeeded',
        { provider: 'account', operation: 'credentials' },
        { message: 'Expired.' },
      )
    }
  }
  const store: CredentialStore = {
    async read() {
      state.reads += 1
      assertConnected()
      return state.stored
    },
    async renew(_accountId, stale, refresh) {
      state.renewals += 1
      if (stale.version !== state.stored.version) return state.stored
      renewal ??= refresh(state.stored.credentials)
        .then(
          (credentials) => {
            state.stored = { credentials, version: state.stored.version + 1 }
            return state.stored
          },
          (error: unknown) => {
            if (error instanceof ProviderError && error.code === 'ReconnectNeeded') state.expired.push('refused')
            throw error
          },
        )
        .finally(() => {
          renewal = null
        })
      return renewal
    },
    async expire(_accountId, reason) {
      state.expired.push(reason)
    },
  }
  return { store, state }
}
