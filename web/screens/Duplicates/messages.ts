import { formatBytes } from '../../lib/formatBytes.ts'
import { nameText } from '../../lib/nameText.ts'

const number = (count: number) => count.toLocaleString()
const counted = (count: number, one: string) => `${number(count)} ${one}${count === 1 ? '' : 's'}`

const SAME: Readonly<Record<string, string>> = {
  SHA256: 'same SHA-256',
  SHA1: 'same size and SHA-1',
  MD5: 'same size and MD5',
  DROPBOX: 'same Dropbox content hash',
  QUICKXOR: 'same size and QuickXorHash',
  SEVERAL_HASHES: 'same hashes',
  NAME: 'same name and size, no hash in common',
  TIME: 'same size and time, no hash in common',
}

/** Texts of the page of duplicates. */
export const messages = {
  pageTitle: 'Duplicates · Skypool',
  title: 'Duplicates',
  intro: 'Files with the same content, in all accounts and group clouds.',
  introFolder: (name: string) => `Files in “${nameText(name)}” with the same content as others.`,
  everywhere: 'Show duplicates everywhere',
  asOf: (time: string) => `As of ${time.charAt(0).toLowerCase()}${time.slice(1)}`,
  checking: 'Still checking your files. More may be found.',
  toReclaim: (groups: number, likelyBytes: number, likelyGroups: number, isComplete: boolean) => {
    const certain = `to reclaim in ${counted(groups, 'group')}`
    const likely = likelyGroups > 0 ? `, and up to ${formatBytes(likelyBytes)} in ${number(likelyGroups)} likely` : ''
    return `${certain}${likely}${likely && (likelyGroups === 1 ? ' one' : ' ones')}${isComplete ? '' : ' so far'}`
  },
  barLabel: (parts: readonly string[]) => `Copies beyond the first: ${parts.join(', ')}`,
  pool: 'Group clouds',
  ifKept: {
    OLDEST: 'if the oldest is kept',
    NEWEST: 'if the newest is kept',
    ACCOUNT: 'if the one in this account is kept',
    FOLDER: 'if the one in this folder is kept',
  },
  tabs: { label: 'Certainty', ALL: 'All', CERTAIN: 'Certain', LIKELY: 'Likely' },
  where: 'Where',
  anywhere: 'Anywhere',
  type: 'Type',
  anyType: 'Any type',
  types: {
    IMAGE: 'Images',
    PDF: 'PDFs',
    VIDEO: 'Videos',
    AUDIO: 'Audio',
    TEXT: 'Text',
    DOCUMENT: 'Documents',
    SPREADSHEET: 'Spreadsheets',
    PRESENTATION: 'Presentations',
    OTHER: 'Other',
  },
  size: 'Size',
  anySize: 'Any size',
  atLeast: (bytes: number) => `${formatBytes(bytes)} or more`,
  none: 'No duplicates',
  noneText: 'No two files have the same content.',
  noneYet: 'None found so far. Your files are still being checked.',
  noneHere: 'No duplicates match these filters.',
  clear: 'Remove filters',
  pages: 'Pages',
  next: 'Next page',
  previous: 'Previous page',
  certain: 'Certain',
  likely: 'Likely',
  selectGroup: (name: string) => `Select group ${nameText(name)}`,
  filesOf: (count: number, size: number, match: string) =>
    `${counted(count, 'file')} of ${formatBytes(size)} · ${SAME[match] ?? ''}`,
  shownOf: (shown: number, all: number) =>
    `The oldest ${number(shown)} of ${number(all)} are shown. The others follow when these are in Trash.`,
  reclaim: 'to reclaim',
  ifEqual: 'if equal',
  table: 'Files with this content',
  columns: { keep: 'Keep', place: 'Place', changed: 'Changed', size: 'Size', fate: 'What happens' },
  keepThis: (place: string) => `Keep the one in ${place}`,
  keep: 'Keep',
  toTrash: 'To Trash',
  noRight: 'Cannot be deleted',
  noRightTitle: 'The provider does not allow deleting this file.',
  myDrive: 'My Drive',
  compareNote: (files: number) =>
    `Skypool has to read ${files === 2 ? 'both files' : `these ${number(files)} files`} to be sure.`,
  compare: (bytes: number) => `Compare (reads ${formatBytes(bytes)})`,
  compareFailed: 'The comparison could not be started',
  comparing: (done: number, total: number) => `Comparing: ${formatBytes(done)} of ${formatBytes(total)} read`,
  results: 'Comparisons',
  result: {
    RUNNING: 'is being compared.',
    EQUAL: 'The files are equal. They are certain duplicates now.',
    PARTLY_EQUAL: 'Some of the files are equal. These are certain duplicates now.',
    DIFFERENT: 'The files are different. They are not duplicates.',
    FAILED: 'could not be compared.',
  } as Readonly<Record<string, string>>,
  selected: (count: number) => `${counted(count, 'group')} selected`,
  rule: 'Which file to keep in the selected groups',
  rules: { OLDEST: 'Oldest', NEWEST: 'Newest', ACCOUNT: 'In an account…', FOLDER: 'In a folder…' },
  inPlace: (name: string) => `In ${nameText(name)}`,
  choose: 'Choose…',
  chooseRule: 'Choose which file to keep.',
  outcome: (files: number, bytes: number) => `${counted(files, 'file')} to Trash, ${formatBytes(bytes)}`,
  untouched: (groups: number) =>
    `${counted(groups, 'group')} without a file there ${groups === 1 ? 'stays' : 'stay'} as ${groups === 1 ? 'it is' : 'they are'}`,
  move: (files: number) => (files === 0 ? 'Move to Trash' : `Move ${counted(files, 'file')} to Trash`),
  moved: (files: number) => `${counted(files, 'file')} moved to Trash`,
  restored: 'Undone',
  clearSelection: 'Clear selection',
  couldNotTrash: 'Could not move to Trash',
  couldNotRestore: 'Could not restore',
}
