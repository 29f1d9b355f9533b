import { nameText } from '../../lib/nameText.ts'

const count = (number: number, one: string, many: string) => (number === 1 ? one : many)
const whole = new Intl.NumberFormat()
const percents = new Intl.NumberFormat(undefined, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

/** "1,204 files". */
const filesText = (files: number) => `${whole.format(files)} ${count(files, 'file', 'files')}`

/** Texts of the screen that shows what fills the accounts. */
export const messages = {
  pageTitle: 'Storage use · Skypool',
  title: 'Storage use',
  intro: 'What fills which account. Select an account, then open its folders.',
  accounts: 'Accounts',
  loading: 'Loading the sizes',
  usedOf: (used: string, total: string) => `${used} used of ${total}`,
  used: (used: string) => `${used} used`,
  asOf: (time: string) => `as of ${time.replace(/^(Today|Yesterday)/, (day) => day.toLowerCase())}`,
  refreshing: 'Being computed again',
  inPlace: 'In place',
  pooled: 'Stored by Skypool',
  other: 'Other data',
  trash: 'Trash',
  partsLabel: (parts: string) => `Used space: ${parts}`,
  showInPlace: 'Show what is in place',
  showPooled: 'Show what Skypool stores',
  folder: 'Folder',
  totalIn: (size: string, isPooled: boolean) => `${size} ${isPooled ? 'stored by Skypool' : 'in place'}`,
  view: 'View',
  treemap: 'Treemap',
  table: 'Table',
  bySize: (name: string) => `Entries of ${nameText(name)} by size`,
  item: (name: string, size: string) => `${nameText(name)}, ${size}`,
  smaller: (items: number) => `${whole.format(items)} smaller ${count(items, 'item', 'items')}`,
  more: 'More',
  tip: (name: string, size: string, share: string) => `${nameText(name)}: ${size}, ${share} of this folder.`,
  tipFiles: (files: number, changed: string) => `${filesText(files)}, last change ${changed}`,
  share: (part: number, all: number) => percents.format(all > 0 ? part / all : 0),
  whole: (number: number) => whole.format(number),
  hint: 'Select a folder to open it. On a keyboard, Enter opens it and Backspace goes up.',
  unsized: (documents: number) =>
    `${whole.format(documents)} ${count(documents, 'document has', 'documents have')} no size and ${count(documents, 'is', 'are')} not counted.`,
  pooledHint: 'Only the bytes on this account count: a file with copies on two accounts counts at both.',
  columns: { name: 'Name', size: 'Size', share: 'Share', files: 'Files', changed: 'Last change' },
  total: 'Total',
  biggest: 'Biggest files',
  oldest: 'Oldest, untouched',
  untouched: (size: string) => `${size} unchanged for 5 years`,
  all: (number: number) => `All ${number}`,
  fewer: 'Show fewer',
  byType: 'By type',
  typesLabel: (parts: string) => `By type: ${parts}`,
  makeRoom: 'Make room',
  duplicates: 'Duplicates',
  groups: (groups: number) => `${whole.format(groups)} ${count(groups, 'group', 'groups')} in this account`,
  trashOf: (provider: string) => `Trash of ${provider}`,
  trashCounts: 'Counts until it is emptied there',
  trashUnknown: 'Not reported by the provider',
  ownTrash: 'Trash of Skypool',
  ownTrashCounts: 'Counts until it is emptied',
  unknown: 'Unknown',
  counting: 'counting…',
  empty: 'Nothing here takes room',
  emptyText: 'Files in this folder will show up here with their sizes.',
  computing:
    'Adding up the sizes. This can take a minute for large accounts; the page shows them as soon as they are ready.',
  listing: (entries: number) =>
    entries === 0 ? 'Listing files…' : `Listing files … ${whole.format(entries)} found so far`,
  listed: 'The list of files is complete',
} as const

/** Types as people group them. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  IMAGE: 'Images',
  PDF: 'PDF',
  VIDEO: 'Video',
  AUDIO: 'Audio',
  TEXT: 'Text',
  DOCUMENT: 'Documents',
  SPREADSHEET: 'Spreadsheets',
  PRESENTATION: 'Presentations',
  OTHER: 'Other',
}
