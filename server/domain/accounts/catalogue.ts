import type pg from 'pg'
import type { OAuth, SignIn, SignInForm } from '../../providers/driver.ts'
import {
  GLYPHS,
  type Glyph,
  type PoolUse,
  type ProviderInfo,
  type Providers,
  THIS_SERVER,
} from '../../providers/providers.ts'
import { ProviderUnavailableError } from '../errors.ts'

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

/** Stores with all accounts how group clouds may use them, for SQL. A newer version can have another catalogue. */
export async function storePoolUses(pool: Pick<pg.Pool, 'query'>, providers: Providers): Promise<void> {
  const rows = providers.catalogue()
  await pool.query(
    `update accounts a set pool_use = i.pool_use::"PoolUse" from unnest($1::text[], $2::text[]) as i(provider, pool_use)
     where a.provider = i.provider and a.pool_use::text <> i.pool_use`,
    [rows.map(({ id }) => id), rows.map(({ poolUse }) => poolUse)],
  )
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
