import type { Pool } from 'pg'
import type { Encryption } from '../../lib/encryption.ts'
import type { FormValues, SignInForm } from '../../providers/driver.ts'
import { isFailure } from '../../providers/errors.ts'
import { decryptCredentials } from './credentials.ts'

export type FormValuesDeps = { readonly pool: Pool; readonly encryption: Encryption }

const READ = 'select sealed, version from account_credentials where account_id = $1'

/** The values that an account was connected with, secrets included, also while it is expired; null: they cannot be read any more. */
export async function storedValues(
  { pool, encryption }: FormValuesDeps,
  form: SignInForm,
  accountId: string,
): Promise<FormValues | null> {
  const { rows } = await pool.query<{ sealed: string; version: number }>(READ, [accountId])
  try {
    const { credentials } = decryptCredentials(encryption, accountId, rows[0])
    if (form.valuesOf) return form.valuesOf(credentials)
    return Object.fromEntries(form.fields.flatMap(({ name }) => valueIn(credentials, name)))
  } catch (error) {
    if (isFailure(error, 'ReconnectNeeded') || isFailure(error, 'Misconfigured')) return null
    throw error
  }
}

/** Zero or one entry: the field with its value. */
export function valueIn(values: Readonly<Record<string, string | null>>, name: string): [string, string][] {
  const value = Object.hasOwn(values, name) ? values[name] : null
  return value === null || value === undefined || value === '' ? [] : [[name, value]]
}

/**
 * The values with the `known` secrets where no secret was entered. Not for another server: whoever uses this session could send them to
 * a separate one.
 */
export function withSecrets(form: SignInForm, fields: FormValues, known: FormValues | null): FormValues {
  if (!known) return fields
  const secrets = form.fields.filter(({ secret }) => secret).map(({ name }) => name)
  const isSame = (name: string): boolean => (fields[name] ?? '').trim() === (known[name] ?? '')
  if (secrets.some((name) => (fields[name] ?? '') !== '') || !(form.destination ?? []).every(isSame)) return fields
  return { ...fields, ...Object.fromEntries(secrets.flatMap((name) => valueIn(known, name))) }
}
