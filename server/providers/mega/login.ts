import type { Call, Credentials, FieldProblem, FormField, FormValues, SignInForm } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { Http } from '../shared/http.ts'
import { createMegaClient, type MegaClient } from './client.ts'
import {
  decryptKey,
  decryptSessionId,
  fromBase64,
  oldPasswordKeys,
  type PasswordKeys,
  passwordKeys,
  toBase64,
} from './crypto.ts'
import { KIND, MEGA, megaNumber } from './errors.ts'

const WHERE = { provider: KIND, operation: 'exchange' }

const FIELDS: readonly FormField[] = [
  {
    name: 'email',
    label: 'Email address',
    help: 'Of your MEGA account.',
    type: 'TEXT',
    secret: false,
    required: true,
    isEmail: true,
  },
  {
    name: 'password',
    label: 'Password',
    help: 'Used once, to sign in. Skypool stores the session and the key of the account, not the password.',
    type: 'TEXT',
    secret: true,
    required: true,
    notStored: true,
  },
  {
    name: 'code',
    label: 'Two-factor code',
    help: 'The 6 digits that your authenticator app shows for MEGA.',
    type: 'TEXT',
    secret: false,
    required: false,
    onRequest: true,
    notStored: true,
  },
]

/** Signing in to MEGA once: what is stored is the session, which lasts until it is closed at mega.nz or the password is changed. */
export function megaForm(http: Http): SignInForm {
  const client = createMegaClient(http, null)
  return {
    fields: FIELDS,
    check: checkValues,
    exchange: (call, values) => signIn(client, call, values),
    async revoke(call, { session }) {
      if (session) await createMegaClient(http, session).ask(call, 'revoke', { a: 'sml' }).catch(nothingWhenEnded)
    },
  }
}

function nothingWhenEnded(error: unknown): void {
  if (megaNumber(error) !== MEGA.session) throw error
}

function checkValues({ email, code }: FormValues): readonly FieldProblem[] {
  if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(email.trim())) {
    return [{ field: 'email', message: 'Enter the email address of your MEGA account.' }]
  }
  const isCode = code === undefined || /^\d{6}$/.test(codeOf(code))
  return isCode ? [] : [{ field: 'code', message: 'The code has 6 digits.' }]
}

/** Authenticator apps show the digits in two groups. */
const codeOf = (text: string): string => text.replace(/\s/g, '')

/** SignInForm.exchange. The messages of its Forbidden errors are for the user. */
async function signIn(client: MegaClient, call: Call, values: FormValues): Promise<Credentials> {
  // MEGA knows addresses in lower case.
  const email = (values.email ?? '').trim().toLowerCase()
  try {
    const keys = await keysOf(client, call, email, values.password ?? '')
    const login = { a: 'us', user: email, uh: keys.proof, ...(values.code && { mfa: codeOf(values.code) }) }
    return { ...credentialsOf(await client.ask(call, 'exchange', login), keys), email }
  } catch (error) {
    call.signal.throwIfAborted()
    throw explained(error, values)
  }
}

async function keysOf(client: MegaClient, call: Call, email: string, password: string): Promise<PasswordKeys> {
  const { v, s } = (await client.ask(call, 'exchange', { a: 'us0', user: email })) as { v?: unknown; s?: unknown }
  if (v === 1) return oldPasswordKeys(password, email)
  if (v === 2 && typeof s === 'string') return passwordKeys(password, fromBase64(s))
  throw refused('This kind of MEGA account is not supported.')
}

function credentialsOf(result: unknown, { key }: PasswordKeys): Credentials {
  const { k, csid, privk, u } = (result ?? {}) as Record<string, unknown>
  if (typeof k !== 'string' || typeof csid !== 'string' || typeof privk !== 'string' || typeof u !== 'string') {
    throw refused('MEGA has not finished setting up this account. Sign in at mega.nz first.')
  }
  const master = decryptKey(key, fromBase64(k))
  const session = sessionOf(fromBase64(csid), decryptKey(master, fromBase64(privk)))
  return { expiresAt: null, session, masterKey: toBase64(master), user: u }
}

function sessionOf(encrypted: Buffer, privateKey: Buffer): string {
  try {
    return decryptSessionId(encrypted, privateKey)
  } catch (error) {
    throw refused(
      'The keys of this MEGA account are damaged. Sign in at mega.nz to see whether they can be repaired.',
      error,
    )
  }
}

const WRONG_LOGIN = 'MEGA does not know this email address with this password.'

function explained(error: unknown, { code }: FormValues): unknown {
  const number = megaNumber(error)
  // Unknown users have no salt (-9), wrong passwords are not found either; older servers deny access (-11).
  if (number === MEGA.notFound || number === -11) return refused(WRONG_LOGIN, error)
  if (number === MEGA.mfaRequired) {
    return atCode('This account uses two-factor authentication. Enter the code of your authenticator app.', error)
  }
  if (number === MEGA.failed && code !== undefined) {
    return atCode('MEGA did not accept the code. Enter the one that the app shows now.', error)
  }
  if (number === MEGA.tooMany || number === MEGA.rateLimit) {
    return refused('MEGA accepts no more attempts for this account for now. Try again in an hour.', error)
  }
  if (number === MEGA.incomplete) return refused('This MEGA account has not been confirmed by email yet.', error)
  if (number === MEGA.blocked) return refused('MEGA has locked this account. Sign in at mega.nz to see why.', error)
  return error
}

/** Asks for the code, or for another one. */
function atCode(message: string, cause: unknown): ProviderError {
  return new ProviderError('Forbidden', WHERE, { message, field: 'code', cause })
}

function refused(message: string, cause?: unknown): ProviderError {
  return new ProviderError('Forbidden', WHERE, { message, ...(cause !== undefined && { cause }) })
}
