import { createPool } from '../../../server/db/pool.ts'
import { createCredentialStore } from '../../../server/domain/accounts/credentials.ts'
import { createEncryption } from '../../../server/lib/encryption.ts'
import { boxModule } from '../../../server/providers/box/module.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import type { RefreshJob } from './run.ts'

/** Renews the credentials of one account and uses the result, again and again, as one of several servers. One line for each attempt. */
const job = JSON.parse(process.argv[2] ?? '{}') as RefreshJob
const pool = createPool(job.connection, { max: 4 })
const encryption = createEncryption([job.secretKey])
const store = createCredentialStore({ pool, leases: pool, encryption, onExpired: () => undefined })
const http = createHttp({ emulatorUrl: new URL(job.emulatorUrl) })
const { signIn, open } = boxModule({ http, clientId: job.clientId, clientSecret: job.clientSecret })
if (signIn.by !== 'OAUTH') throw new Error('Box is connected by OAuth.')
const { oauth } = signIn
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
