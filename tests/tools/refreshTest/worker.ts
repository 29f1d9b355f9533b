import { createPool } from '../../../server/db/pool.ts'
import { createCredentialStore } from '../../../server/domain/accounts/credentials.ts'
import { createEncryption } from '../../../server/lib/encryption.ts'
import { configuredModules, PROVIDERS } from '../../../server/providers/catalogue.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import type { RefreshJob } from './run.ts'

/** Renews the credentials of one account and uses the result, again and again, as one of several servers. One line for each attempt. */
const job = JSON.parse(process.argv[2] ?? '{}') as RefreshJob
const pool = createPool(job.connection, { max: 4 })
const encryption = createEncryption([job.secretKey])
const store = createCredentialStore({ pool, leases: pool, encryption, onExpired: () => undefined })
const http = createHttp({ emulatorUrl: new URL(job.emulatorUrl) })
const guard = createHostGuard([])
const module = configuredModules(PROVIDERS, http, guard, job.settings).find(({ kind }) => kind === job.provider)
if (module?.signIn.by !== 'OAUTH') throw new Error(`${job.provider} is not connected by OAuth.`)
const { open } = module
const { oauth } = module.signIn
const call = { signal: new AbortController().signal, requestId: 'refresh' }

for (;;) {
  try {
    const stored = await store.read(job.accountId)
    const { credentials, version } = await store.renew(job.accountId, stored, (current) => oauth.refresh(call, current))
    const used = await open(credentials).identity(call).catch(codeOf)
    console.log(JSON.stringify({ version, used: typeof used === 'string' ? used : 'OK' }))
  } catch (error) {
    console.log(JSON.stringify({ failed: codeOf(error) }))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function codeOf(error: unknown): string {
  if (error instanceof ProviderError) return error.code
  throw error
}
