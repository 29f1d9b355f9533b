import type pg from 'pg'
import type { Account as AccountRow, Prisma } from '../../db/generated/prisma/client.ts'
import type {
  FieldCondition,
  FieldProblem,
  FormField,
  FormValues,
  OAuth,
  ProviderQuota,
  SignIn,
  SignInForm,
} from '../../providers/driver.ts'
import {
  GLYPHS,
  type Glyph,
  type PoolUse,
  type ProviderInfo,
  type Providers,
  THIS_SERVER,
} from '../../providers/providers.ts'
import { type FieldError, InvalidInputError, ProviderUnavailableError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'
import type { Account, Quota } from './contract.ts'

/** The accounts that a viewer can access: their own, without disconnected ones. */
export const visibleTo = (viewer: Viewer) =>
  ({ userId: viewer.userId, disconnectedAt: null }) satisfies Prisma.AccountWhereInput

export type QuotaColumns = {
  readonly quotaState: Quota['state']
  readonly usedBytes: bigint | number
  readonly reservedBytes: bigint | number
  readonly quotaBytes: bigint | number | null
}

export function toAccount(row: AccountRow): Account {
  const { id, provider, name, email, place, status, statusReason, unreachableSince, hue, createdAt } = row
  const capacityBytes = row.capacityBytes === null ? null : Number(row.capacityBytes)
  const shown = { id, provider, name, email, place, status, statusReason, unreachableSince, hue, createdAt }
  return { ...shown, quota: quotaOf(row), capacityBytes, poolUse: row.poolUse, searchContents: searchesContents(row) }
}

/** Off by default for connected accounts: it downloads their documents. */
export function searchesContents({
  provider,
  searchContents,
}: Pick<AccountRow, 'provider' | 'searchContents'>): boolean {
  return searchContents ?? provider === THIS_SERVER.id
}

export function quotaOf({ quotaState, usedBytes, reservedBytes, quotaBytes }: QuotaColumns): Quota {
  return {
    state: quotaState,
    usedBytes: Number(usedBytes),
    reservedBytes: Number(reservedBytes),
    totalBytes: quotaBytes === null ? null : Number(quotaBytes),
  }
}

// A capacity that the user typed counts while the provider reports no total. `state` and `bytes`: parameters with what it reports.

export const EFFECTIVE_STATE = (state: string) =>
  `(case when ${state}::"QuotaState" <> 'KNOWN' and capacity_bytes is not null then 'KNOWN' else ${state} end)::"QuotaState"`
export const EFFECTIVE_BYTES = (state: string, bytes: string) =>
  `case when ${state}::"QuotaState" <> 'KNOWN' then capacity_bytes else ${bytes}::bigint end`
/** A total of the provider ends the user's own. */
export const KEPT_CAPACITY = (state: string) => `case when ${state}::"QuotaState" <> 'KNOWN' then capacity_bytes end`

/** A provider's quota as stored: whole bytes, and a total only where it is known. */
export function quotaColumns({ state, totalBytes, usedBytes, trashBytes }: ProviderQuota): Required<ProviderQuota> {
  const whole = (bytes: number | null) => (bytes === null || !(bytes >= 0) ? null : Math.floor(bytes))
  const total = state === 'KNOWN' ? whole(totalBytes) : null
  return {
    state: state === 'KNOWN' && total === null ? 'UNKNOWN' : state,
    totalBytes: total,
    usedBytes: whole(usedBytes),
    trashBytes: whole(trashBytes ?? null),
  }
}

/**
 * The combined quota of several accounts: without a total when one of them has none, unknown when one of them is. Expired
 * accounts do not count: nothing can be stored there.
 */
export function sumQuotas(accounts: readonly (QuotaColumns & Pick<AccountRow, 'status'>)[]): Quota {
  const quotas = accounts.filter(({ status }) => status === 'CONNECTED').map(quotaOf)
  const sum = (read: (quota: Quota) => number) => quotas.reduce((total, quota) => total + read(quota), 0)
  return {
    state: sumOfStates(quotas.map(({ state }) => state)),
    usedBytes: sum((quota) => quota.usedBytes),
    reservedBytes: sum((quota) => quota.reservedBytes),
    totalBytes: quotas.some((quota) => quota.totalBytes === null) ? null : sum((quota) => quota.totalBytes ?? 0),
  }
}

function sumOfStates(states: readonly Quota['state'][]): Quota['state'] {
  if (states.includes('UNKNOWN')) return 'UNKNOWN'
  return states.includes('UNLIMITED') ? 'UNLIMITED' : 'KNOWN'
}

const LONGEST_NAME = 100
const LAST_HUE = 12

/** Maximum length of a form value; fits keys of several lines. */
const LONGEST_VALUE = 20_000

/** Form values by the names of the provider's fields. */
export type FormInput = { readonly fields: FormValues; readonly name?: string }

/** The values for the provider, and the account's name as stored. @throws InvalidInputError with all invalid fields */
export function checkedForm(form: SignInForm, input: FormInput): { values: FormValues; name: string } {
  const name = input.name?.trim().normalize('NFC') ?? ''
  const given = Object.entries(input.fields).map(([field, value]) => [field, trimmedValue(form, field, value)] as const)
  const values = Object.fromEntries(given.filter(([, value]) => value !== ''))
  const nameMessage = input.name === undefined ? null : nameProblem(name)
  const problems = problemsIn(form, values)
  const errors: FieldError[] = problems.map(({ field, message }) => ({ path: `fields.${field}`, message }))
  if (nameMessage !== null) errors.unshift({ path: 'name', message: nameMessage })
  if (errors.length > 0) throw new InvalidInputError(errors)
  return { values, name }
}

/** One per field, in the order of the form; those of fields that do not exist come first. */
function problemsIn(form: SignInForm, values: FormValues): FieldProblem[] {
  const found = [...unknownFields(form, values), ...form.fields.flatMap((field) => valueProblem(field, values))]
  const conditional = new Set(form.fields.flatMap(({ name, required }) => (required ? [] : [name])))
  const isOnlyMissing = ({ field }: FieldProblem) => conditional.has(field) && enteredIn(values, field) === undefined
  if (!found.every(isOnlyMissing)) return found
  const more = form.check?.(values).filter(({ field }) => !found.some((one) => one.field === field)) ?? []
  const placeOf = ({ field }: FieldProblem) => form.fields.findIndex(({ name }) => name === field)
  return [...found, ...more].sort((a, b) => placeOf(a) - placeOf(b))
}

/** Secrets are not trimmed: they may begin or end with a space. */
function trimmedValue({ fields }: SignInForm, name: string, value: string): string {
  return fields.find((field) => field.name === name)?.secret ? value : value.trim()
}

function unknownFields({ fields }: SignInForm, values: FormValues): FieldProblem[] {
  const names = new Set(fields.map(({ name }) => name))
  return Object.keys(values)
    .filter((field) => !names.has(field))
    .map((field) => ({ field, message: 'There is no such field.' }))
}

function valueProblem(field: FormField, values: FormValues): FieldProblem[] {
  const value = enteredIn(values, field.name)
  const message = value === undefined ? missingProblem(field, values) : typeProblem(value, field)
  return message === null ? [] : [{ field: field.name, message }]
}

const enteredIn = (values: FormValues, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Of a field that is empty. */
function missingProblem({ label, required, requiredWhen }: FormField, values: FormValues): string | null {
  if (required) return `${label} is required.`
  const holds = ({ field, values: wanted }: FieldCondition) => wanted.includes(enteredIn(values, field) ?? '')
  return requiredWhen?.conditions.every(holds) ? requiredWhen.message : null
}

function typeProblem(value: string, { label, type, choices = [] }: FormField): string | null {
  if (value.length > LONGEST_VALUE) return `${label} can have at most ${LONGEST_VALUE} characters.`
  if (type !== 'MULTILINE' && /[\p{Cc}\p{Cs}]/u.test(value)) return `${label} cannot contain control characters.`
  if (type === 'NUMBER' && !/^\d{1,15}$/.test(value)) return `${label} must be a whole number.`
  if (type === 'URL' && !/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')) {
    return `${label} must be an address that begins with https:// or http://.`
  }
  if (type === 'CHOICE' && !choices.some((choice) => choice.value === value)) {
    return `${label} must be one of: ${choices.map((choice) => choice.value).join(', ')}.`
  }
  return null
}

/** The name as stored. @throws InvalidInputError */
export function checkedName(name: string): string {
  const trimmed = name.trim().normalize('NFC')
  throwIf('name', nameProblem(trimmed))
  return trimmed
}

function nameProblem(name: string): string | null {
  if (name === '') return 'Please provide a name for this connection'
  if ([...name].length > LONGEST_NAME) return `A name can have at most ${LONGEST_NAME} characters.`
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'A name cannot contain control characters.' : null
}

/** @throws InvalidInputError */
export function checkHue(hue: number): void {
  const isHue = Number.isInteger(hue) && hue >= 1 && hue <= LAST_HUE
  throwIf('hue', isHue ? null : `Please choose a colour from 1 to ${LAST_HUE}.`)
}

/** @throws InvalidInputError */
export function checkCapacity(bytes: number): void {
  const isSize = Number.isSafeInteger(bytes) && bytes > 0
  throwIf('capacityBytes', isSize ? null : 'A capacity is a whole number of bytes, at least 1.')
}

/** @throws InvalidInputError */
export function checkCode(code: string): void {
  throwIf('code', code.trim() === '' ? 'The code of the authorization is missing.' : null)
}

/** The provider's default hue; when that is taken, the lowest free one; when all are taken, the default. */
export function hueFor(own: number, taken: ReadonlySet<number>): number {
  if (!taken.has(own)) return own
  const all = Array.from({ length: LAST_HUE }, (_, index) => index + 1)
  return all.find((hue) => !taken.has(hue)) ?? own
}

function throwIf(path: string, message: string | null): void {
  const errors: FieldError[] = message === null ? [] : [{ path, message }]
  if (errors.length > 0) throw new InvalidInputError(errors)
}

export { GLYPHS, type Glyph }

/** Display name of a provider. */
export function providerName(providers: Providers, id: string): string {
  return id === THIS_SERVER.id ? THIS_SERVER.name : (find(providers, id)?.name ?? id)
}

/** An account in messages: "Google Drive · Studio". Only its name on this server, or when the name contains the provider's. */
export function accountLabel(providers: Providers, { provider, name }: { provider: string; name: string }): string {
  const known = providerName(providers, provider)
  return provider === THIS_SERVER.id || name.includes(known) ? name : `${known} · ${name}`
}

/** Icon shape of a provider. */
export function providerGlyph(providers: Providers, id: string): Glyph {
  return id === THIS_SERVER.id ? THIS_SERVER.glyph : (find(providers, id)?.glyph ?? 'CLOUD')
}

/** Default colour of its accounts. */
export function providerHue(providers: Providers, id: string): number {
  return find(providers, id)?.hue ?? 1
}

/** How group clouds may use its accounts, and why not fully. */
export function poolUseOf(providers: Providers, id: string): { readonly use: PoolUse; readonly reason: string | null } {
  const info = find(providers, id)
  return { use: info?.poolUse ?? 'FULL', reason: info?.poolReason ?? null }
}

/** The message when an account is reconnected with another login; null where a window of the provider asks for the login. */
export function sameLoginOf(providers: Providers, id: string): string | null {
  return find(providers, id)?.sameLogin ?? null
}

/** Stores with all accounts how group clouds may use them, for SQL. A newer version can have another catalogue. */
export async function storePoolUses(pool: Pick<pg.Pool, 'query'>, providers: Providers): Promise<void> {
  const rows = providers.catalogue()
  await pool.query(
    `update accounts a set pool_use = i.pool_use::"PoolUse" from unnest($1::text[], $2::text[]) as i(provider, pool_use)
     where a.provider = i.provider and a.pool_use::text <> i.pool_use`,
    [rows.map(({ id }) => id), rows.map(({ poolUse }) => poolUse)],
  )
}

/** Whether it makes small pictures of files itself. */
export function hasThumbnails(providers: Providers, id: string): boolean {
  return find(providers, id)?.hasThumbnails ?? false
}

/** How its accounts are connected; null for this server and for providers that this version does not support. */
export function connectsBy(providers: Providers, id: string): ProviderInfo['connectsBy'] {
  return find(providers, id)?.connectsBy ?? null
}

/** Name of the provider whose public link this URL is, by its host; null for any other URL. */
export function providerOfLink(providers: Providers, url: string): string | null {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  const isOf = ({ linkHost }: ProviderInfo) => linkHost !== null && (host === linkHost || host.endsWith(`.${linkHost}`))
  return providers.catalogue().find(isOf)?.name ?? null
}

/** @throws ProviderUnavailableError, whose message says what the administrator can do */
export function oauthOf(providers: Providers, id: string): OAuth {
  const signIn = signInOf(providers, id)
  if (signIn.by === 'OAUTH') return signIn.oauth
  throw new ProviderUnavailableError(`${providerName(providers, id)} is connected with a form.`)
}

/** @throws ProviderUnavailableError as oauthOf */
export function formOf(providers: Providers, id: string): SignInForm {
  const signIn = signInOf(providers, id)
  if (signIn.by === 'FORM') return signIn.form
  throw new ProviderUnavailableError(`${providerName(providers, id)} is connected in a window of the provider.`)
}

function signInOf(providers: Providers, id: string): SignIn {
  const signIn = providers.signIn(id)
  if (signIn) return signIn
  throw new ProviderUnavailableError(unavailableReason(find(providers, id)))
}

function unavailableReason(info: ProviderInfo | undefined): string {
  if (!info) return 'There is no such provider.'
  if (info.availability !== 'NOT_CONFIGURED') return `This version of Skypool cannot connect ${info.name} yet.`
  const settings = info.settings.join(' and ')
  return `${info.name} is not set up on this server yet. Its administrator has to set ${settings}.`
}

function find(providers: Providers, id: string): ProviderInfo | undefined {
  return providers.catalogue().find((info) => info.id === id)
}
