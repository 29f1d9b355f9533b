/** Texts of the Versions tab and of the comparison. */
export const messages = {
  list: 'Versions, newest first',
  current: 'Current',
  restore: 'Restore',
  download: 'Download',
  compare: 'Compare',
  preview: 'Preview',
  delete: 'Delete',
  settings: 'Settings',
  none: 'Files in a connected account have no versions here. What protects them is on the Details tab.',
  restored: (when: string) => `Restored the version of ${when}`,
  undone: 'Restoring was undone',
  notRestored: 'This version could not be restored',
  notDeleted: 'This version could not be deleted',
  deleteTitle: (when: string) => `Delete the version of ${when}?`,
  deleteText: 'This cannot be undone. The file and its other versions stay.',
  deleted: 'Version deleted',
  kept: (days: number, most: number) =>
    `Kept for ${days === 1 ? 'one day' : `${days} days`} after they were replaced, at most ${most.toLocaleString('en')} of a file.`,
  earlier: (count: number, size: string) => `${count} earlier version${count === 1 ? '' : 's'} · ${size}`,
  onlyOne: 'No earlier versions yet. Replacing the file keeps what it has now.',
  compareTitle: (name: string) => `Compare “${name}”`,
  compareText: (old: string, now: string) => `${old}, with the current version of ${now}`,
  oneColumn: 'In one column',
  sideBySide: 'Side by side',
  layout: 'Layout',
  added: (lines: number) => `+ ${lines} line${lines === 1 ? '' : 's'}`,
  removed: (lines: number) => `− ${lines} line${lines === 1 ? '' : 's'}`,
  same: 'Both versions have the same text.',
  lines: (from: number, to: number) => `Lines ${from} to ${to}`,
  loading: 'Loading both versions…',
  failed: 'The versions could not be loaded. Close this and try again.',
  cut: 'Only the first megabyte of each version is compared.',
  nextChange: 'Next change (F7)',
  previousChange: 'Previous change (Shift+F7)',
  restoreThis: 'Restore this version',
  done: 'Done',
} as const

const SOURCES: Readonly<Record<string, string>> = { UPLOAD: 'by upload', EDITOR: 'in the editor' }

type Origin = {
  readonly source: string
  readonly by: string
  readonly byKey: boolean
  readonly restoredFrom: string | null | undefined
}

/** "You, by upload", "Backup script, by API key", "You, restored from 8 Nov". */
export function originOf({ source, by, byKey, restoredFrom }: Origin, day: (iso: string) => string): string {
  const who = byKey ? by : 'You'
  if (source === 'RESTORE') return `${who}, restored from ${restoredFrom ? day(restoredFrom) : 'an earlier version'}`
  return `${who}, ${byKey ? 'by API key' : (SOURCES[source] ?? 'by upload')}`
}
