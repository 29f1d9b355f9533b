import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type {
  AuthorizationRequest,
  Call,
  Credentials,
  Driver,
  EntryRef,
  OAuth,
  ProviderModule,
} from '../../server/providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../server/providers/errors.ts'

export type Login = {
  readonly subject: string
  readonly email: string
  usedBytes: number
  /** null: unlimited. */
  totalBytes: number | null
}

type Code = { readonly subject: string; readonly challenge: string; readonly redirectUri: string }

export type LoginProvider = {
  readonly module: ProviderModule
  addLogin(login: Partial<Login> & { email: string }): Login
  /** What the consent page sends back after "Allow". */
  consent(authorizationUrl: string, login: Login): { code: string; state: string }
  /** All access tokens end; refresh tokens stay. */
  expireAccess(): void
  /** The person takes the grant back at the provider. */
  withdraw(login: Login): void
  /** Every call fails so, until `null`. */
  failWith(code: ProviderErrorCode | null): void
  /** Waits that long before it answers a refresh. */
  refreshTakes(ms: number): void
  /** Names of the calls so far, in order. */
  readonly calls: string[]
  /** Every token, code and verifier that was ever in use: none may be seen anywhere. */
  readonly secrets: Set<string>
}

/**
 * A provider that knows logins, consent, codes with PKCE, access tokens and rotating refresh tokens, and nothing of files. It
 * refuses what a real one refuses.
 */
export function createLoginProvider(kind = 'google-drive', callbackName = 'google'): LoginProvider {
  const logins = new Map<string, Login>()
  const codes = new Map<string, Code>()
  const accessTokens = new Map<string, string>()
  const refreshTokens = new Map<string, string>()
  const calls: string[] = []
  const secrets = new Set<string>()
  let failure: ProviderErrorCode | null = null
  let refreshMs = 0

  const secret = (prefix: string) => {
    const text = `${prefix}-${randomBytes(24).toString('base64url')}`
    secrets.add(text)
    return text
  }
  const fail = (code: ProviderErrorCode, operation: string, message: string) =>
    new ProviderError(code, { provider: kind, operation }, { message })
  const enter = (operation: string, { signal }: Call) => {
    calls.push(operation)
    signal.throwIfAborted()
    if (failure) throw fail(failure, operation, 'It was told to fail.')
  }
  const grant = (subject: string): Credentials => {
    const [accessToken, refreshToken] = [secret('access'), secret('refresh')]
    accessTokens.set(accessToken, subject)
    refreshTokens.set(refreshToken, subject)
    return { expiresAt: new Date(Date.now() + 3_600_000).toISOString(), accessToken, refreshToken }
  }
  const holder = (operation: string, { accessToken }: Credentials): Login => {
    const login = logins.get(accessTokens.get(accessToken ?? '') ?? '')
    if (!login) throw fail('AuthExpired', operation, 'The access token has ended.')
    return login
  }

  const oauth: OAuth = {
    clientId: `client-of-${kind}`,
    callbackName,
    authorizationUrl({ state, challenge, redirectUri, loginHint }: AuthorizationRequest) {
      const url = new URL(`https://${callbackName}.example/authorize`)
      const parameters = { state, code_challenge: challenge, redirect_uri: redirectUri, login_hint: loginHint }
      for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value)
      return url
    },
    async exchange(call, { code, verifier, redirectUri }) {
      enter('exchange', call)
      secrets.add(verifier)
      const known = codes.get(code)
      codes.delete(code)
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      if (known?.challenge !== challenge || known.redirectUri !== redirectUri) {
        throw fail('ReconnectNeeded', 'exchange', 'The code is not valid.')
      }
      return grant(known.subject)
    },
    async refresh(call, { refreshToken }) {
      enter('refresh', call)
      if (refreshMs > 0) await new Promise((resolve) => setTimeout(resolve, refreshMs))
      const subject = refreshTokens.get(refreshToken ?? '')
      refreshTokens.delete(refreshToken ?? '')
      if (subject === undefined) throw fail('ReconnectNeeded', 'refresh', 'Token has been expired or revoked.')
      return grant(subject)
    },
    async revoke(call, { refreshToken }) {
      enter('revoke', call)
      const subject = refreshTokens.get(refreshToken ?? '')
      if (subject !== undefined) drop(subject)
    },
  }

  /** As at a real one, everything that the login has granted ends at once. */
  function drop(subject: string): void {
    for (const tokens of [accessTokens, refreshTokens]) {
      for (const [token, owner] of tokens) if (owner === subject) tokens.delete(token)
    }
  }

  const open = (credentials: Credentials): Driver => ({
    ...BYTES,
    kind,
    async identity(call) {
      enter('identity', call)
      const { subject, email } = holder('identity', credentials)
      return { subject, email, name: email }
    },
    async quota(call) {
      enter('quota', call)
      const { usedBytes, totalBytes } = holder('quota', credentials)
      return { state: totalBytes === null ? 'UNLIMITED' : 'KNOWN', usedBytes, totalBytes }
    },
  })

  return {
    module: { kind, signIn: { by: 'OAUTH', oauth }, open },
    calls,
    secrets,
    addLogin({ email, subject = `subject of ${email}`, usedBytes = 0, totalBytes = 15 * 1024 ** 3 }) {
      const login = { email, subject, usedBytes, totalBytes }
      logins.set(subject, login)
      return login
    },
    consent(authorizationUrl, { subject }) {
      const { searchParams } = new URL(authorizationUrl)
      const [state, challenge, redirectUri] = ['state', 'code_challenge', 'redirect_uri'].map(
        (name) => searchParams.get(name) ?? '',
      )
      const code = secret('code')
      codes.set(code, { subject, challenge: challenge ?? '', redirectUri: redirectUri ?? '' })
      secrets.add(state ?? '')
      return { code, state: state ?? '' }
    },
    expireAccess: () => accessTokens.clear(),
    withdraw: ({ subject }) => drop(subject),
    failWith(code) {
      failure = code
    },
    refreshTakes(ms) {
      refreshMs = ms
    },
  }
}

const noFiles = async (): Promise<never> => {
  throw new Error('This provider knows nothing of files.')
}

/** Documents of its accounts, as far as exports go. */
const EXPORTS: Driver['export'] = async () => ({
  body: Readable.from([Buffer.from('%PDF-1.4')], { objectMode: false }),
})

const BYTES: Omit<Driver, 'kind' | 'identity' | 'quota'> = {
  root: 'root' as EntryRef,
  capabilities: {
    hash: null,
    duplicateNames: false,
    caseSensitive: true,
    maxObjectBytes: null,
    maxNameLength: 255,
    nameUnit: 'utf16',
    maxConcurrency: 4,
    maxConcurrentWrites: 4,
    resumable: false,
  },
  stat: noFiles,
  list: noFiles,
  get: noFiles,
  export: EXPORTS,
  put: noFiles,
  abandon: noFiles,
  delete: noFiles,
  ensureFolder: noFiles,
}
