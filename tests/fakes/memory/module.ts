import { createHash } from 'node:crypto'
import type { Call, Credentials, OAuth, ProviderModule } from '../../../server/providers/driver.ts'
import { grant, ownerOf, renew } from './access.ts'
import type { MemoryCloud } from './cloud.ts'
import { memoryDriver } from './driver.ts'
import { failing } from './errors.ts'
import { type Operation, suffer } from './faults.ts'

/** The provider whose service is `cloud`. */
export function memoryModule(cloud: MemoryCloud): ProviderModule {
  return {
    kind: cloud.service.kind,
    signIn: { by: 'OAUTH', oauth: oauthOf(cloud) },
    open: (credentials) => memoryDriver(cloud, credentials),
  }
}

function oauthOf(cloud: MemoryCloud): OAuth {
  const { service, accounts } = cloud

  async function enter(call: Call, operation: Operation, subject: string): Promise<void> {
    call.signal.throwIfAborted()
    const fault = cloud.fault?.(operation, null, subject) ?? null
    await suffer(fault, service.clock, call.signal, { provider: service.kind, operation })
  }

  return {
    clientId: `${service.kind}-client`,
    callbackName: service.kind,
    authorizationUrl({ state, challenge, redirectUri, loginHint }) {
      const url = new URL(`https://${service.kind}.invalid/authorize`)
      const hint = loginHint === null ? {} : { login_hint: loginHint }
      const asked = { client_id: this.clientId, state, code_challenge: challenge, redirect_uri: redirectUri, ...hint }
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
      return url
    },
    async exchange(call, { code, verifier, redirectUri }) {
      const consent = cloud.codes.get(code)
      await enter(call, 'exchange', consent?.subject ?? '')
      // A code is good once, whatever comes of it.
      cloud.codes.delete(code)
      const account = accounts.get(consent?.subject ?? '')
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      const isMeant = consent?.challenge === challenge && consent.redirectUri === redirectUri
      if (!account || !isMeant) throw failing(service, 'exchange')('ReconnectNeeded', 'The code is not valid.')
      return grant(service, account)
    },
    async refresh(call, credentials) {
      await enter(call, 'refresh', ownerOf(accounts.values(), credentials)?.subject ?? '')
      return renew(service, accounts.values(), credentials, failing(service, 'refresh'))
    },
    async revoke(call, credentials) {
      await enter(call, 'revoke', ownerOf(accounts.values(), credentials)?.subject ?? '')
      dropTokens(cloud, credentials)
    },
  }
}

function dropTokens({ accounts }: MemoryCloud, { accessToken, refreshToken }: Credentials): void {
  for (const { access, refresh } of accounts.values()) {
    if (access.has(accessToken ?? '')) access.set(accessToken ?? '', 0)
    refresh.delete(refreshToken ?? '')
  }
}
