import { accountLabel } from '../../../lib/accountLabel.ts'
import { nameText } from '../../../lib/nameText.ts'
import type { FileManager } from '../FilesContext.ts'
import type { Category, Changed, Home, SizeRange, UrlState } from '../urlState.ts'

export const CATEGORY_NAMES: Record<Category, string> = {
  FOLDER: 'Folders',
  IMAGE: 'Images',
  PDF: 'PDF',
  VIDEO: 'Videos',
  AUDIO: 'Audio',
  TEXT: 'Text',
  DOCUMENT: 'Documents',
  SPREADSHEET: 'Spreadsheets',
  PRESENTATION: 'Presentations',
  OTHER: 'Other',
}

export const HOME_NAMES: Record<Home, string> = { ACCOUNT: 'In place in accounts', POOL: 'Stored by Skypool' }

export const CHANGED_NAMES: Record<Changed, string> = {
  day: 'Today',
  week: 'Last 7 days',
  month: 'Last 30 days',
  year: 'Last 12 months',
  older: 'Earlier',
}

export const SIZE_NAMES: Record<SizeRange, string> = {
  tiny: 'Less than 1 MB',
  small: '1 to 10 MB',
  medium: '10 to 100 MB',
  large: '100 MB to 1 GB',
  huge: '1 GB or more',
}

type Places = Pick<FileManager, 'groupClouds' | 'providers' | 'accounts'>

/** Where the list looks: an account, a group cloud, a provider, or all accounts; null: everywhere. */
export function placeText(url: UrlState, { groupClouds, providers, accounts }: Places): string | null {
  const account = accounts.find(({ id }) => id === url.account)
  if (url.account) return account ? nameText(accountLabel(account)) : 'Unknown account'
  if (url.groupCloud) return nameText(nameOf(groupClouds, url.groupCloud) ?? 'Unknown group cloud')
  if (url.provider) return nameOf(providers, url.provider) ?? url.provider
  return url.home && HOME_NAMES[url.home]
}

/** The active filters as text: "Type: PDF, Where: Dropbox"; empty without filters. */
export function filterText(url: UrlState, places: Places): string {
  const where = placeText(url, places)
  const parts = [
    url.categories.length > 0 && `Type: ${url.categories.map((category) => CATEGORY_NAMES[category]).join(', ')}`,
    where && `Where: ${where}`,
    url.tag && 'this tag',
    url.changed && `Changed: ${CHANGED_NAMES[url.changed]}`,
    url.size && `Size: ${SIZE_NAMES[url.size]}`,
    url.atRisk && 'At risk',
  ]
  return parts.filter(Boolean).join(', ')
}

function nameOf(all: readonly { readonly id: string; readonly name: string }[], id: string | null): string | null {
  return all.find((one) => one.id === id)?.name ?? null
}
