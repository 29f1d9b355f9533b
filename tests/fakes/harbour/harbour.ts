import type { ProviderRow } from '../../../server/providers/catalogue.ts'
import type { Credentials, ProviderModule, SignInForm } from '../../../server/providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../../server/providers/errors.ts'
import { createMemoryCloud, type MemoryCloud, type NewAccount } from '../memory/cloud.ts'
import { memoryDriver } from '../memory/driver.ts'

const KIND = 'harbour'
/** Where the one server of this service is. */
export const HARBOUR_ADDRESS = 'https://harbour.example/files'

export type Harbour = {
  readonly cloud: MemoryCloud
  readonly row: ProviderRow
  readonly module: ProviderModule
  /** Who may sign in; again with another password, the old one no longer works anywhere. */
  setPassword(user: string, password: string, account?: Omit<NewAccount, 'subject'>): void
}

/**
 * Harbour, a storage service that is signed in to by a form: the twelfth provider, as one would be added. All in memory; its
 * files are those of the memory driver.
 */
export function createHarbour(cloud: MemoryCloud = createMemoryCloud({ kind: KIND, accessMs: 10 ** 12 })): Harbour {
  const passwords = new Map<string, string>()
  const accepts = ({ user, password }: Readonly<Record<string, string | null>>) =>
    user != null && passwords.get(user) === password

  const form: SignInForm = {
    fields: [
      field('address', 'Server address', 'As your harbour master told you.', 'URL'),
      field('user', 'User name', null, 'TEXT'),
      { ...field('password', 'Password', null, 'TEXT'), secret: true },
      { ...field('berth', 'Berth', 'From 1 to 99.', 'NUMBER'), required: false },
      { ...field('charter', 'Charter', null, 'MULTILINE'), required: false, secret: true },
    ],
    check: ({ berth }) =>
      berth !== undefined && !(Number(berth) >= 1 && Number(berth) <= 99)
        ? [{ field: 'berth', message: 'There are berths 1 to 99.' }]
        : [],
    destination: ['address'],
    async exchange({ signal }, values) {
      signal.throwIfAborted()
      if (values.address !== HARBOUR_ADDRESS) throw failing('Transient', 'Nothing answers there.')
      if (!accepts(values)) throw failing('ReconnectNeeded', 'User name or password is wrong.')
      return { expiresAt: null, ...values }
    },
  }
  const module: ProviderModule = {
    kind: KIND,
    signIn: { by: 'FORM', form },
    open(credentials) {
      const driver = memoryDriver(cloud, session(credentials))
      const place = `${credentials.user}@${new URL(HARBOUR_ADDRESS).host}`
      return { ...driver, identity: async (call) => ({ ...(await driver.identity(call)), place }) }
    },
  }

  function session(credentials: Credentials): Credentials {
    return accepts(credentials) ? cloud.signIn(credentials.user ?? '') : { expiresAt: null, accessToken: 'refused' }
  }

  return {
    cloud,
    module,
    row: {
      id: KIND,
      name: 'Harbour',
      description: 'Boxes by the quay',
      popular: false,
      hue: 11,
      glyph: 'BOX',
      connect: {
        by: 'FORM',
        settings: [],
        setupSteps: [],
        access: () => 'What you enter is stored encrypted. Skypool uses only the files that it stores there itself.',
        module: () => module,
      },
    },
    setPassword(user, password, account = {}) {
      if (cloud.accounts.has(user)) cloud.takeAccess(user)
      else cloud.addAccount({ subject: user, ...account })
      passwords.set(user, password)
    },
  }
}

function field(name: string, label: string, help: string | null, type: SignInForm['fields'][number]['type']) {
  return { name, label, help, type, secret: false, required: true }
}

function failing(code: ProviderErrorCode, message: string): ProviderError {
  return new ProviderError(code, { provider: KIND, operation: 'exchange' }, { message })
}
