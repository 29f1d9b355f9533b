import type { OAuth } from '../../providers/driver.ts'
import type { ProviderInfo, Providers } from '../../providers/providers.ts'
import { ProviderUnavailableError } from '../errors.ts'
import type { Provider } from '../services.ts'

/** What is asked of each provider, in words. */
export type Access = Readonly<Record<string, string>>

/** True to the scopes that are asked for. */
export function accessTexts(googleScope: 'drive' | 'drive.file'): Access {
  const ownFiles = 'Skypool can read and write only the files that it stores there itself.'
  const allFiles =
    'Skypool can read and write all files of the account, and uses only those that it stores there itself.'
  return { 'google-drive': googleScope === 'drive' ? allFiles : ownFiles, dropbox: allFiles }
}

export function listProviders(providers: Providers, access: Access): Provider[] {
  return providers.catalogue().map((info) => ({
    ...info,
    access: info.availability === 'UNAVAILABLE' ? null : (access[info.id] ?? null),
  }))
}

/** The provider's name for people. */
export function providerName(providers: Providers, id: string): string {
  if (id === 'local') return 'This server'
  return providers.catalogue().find((info) => info.id === id)?.name ?? id
}

/** @throws ProviderUnavailableError with what an administrator can do about it */
export function oauthOf(providers: Providers, id: string): OAuth {
  const oauth = providers.oauth(id)
  if (oauth) return oauth
  throw new ProviderUnavailableError(whyNot(providers.catalogue().find((info) => info.id === id)))
}

function whyNot(info: ProviderInfo | undefined): string {
  if (!info) return 'There is no such provider.'
  if (info.availability !== 'NOT_CONFIGURED') return `This version of Skypool cannot connect ${info.name} yet.`
  const settings = info.settings.join(' and ')
  return `${info.name} is not set up on this server yet. Its administrator has to set ${settings}.`
}
