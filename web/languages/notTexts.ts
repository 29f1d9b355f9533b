/** Files without texts for people: queries, styles, and what only developers see. */
export const NOT_TEXT_FILES = /^serviceWorker\.ts$|\/frame\//

/** Strings that look like texts, but are names of keys, of events, or of places in code, or for developers only. */
export const NOT_TEXTS: ReadonlySet<string> = new Set([
  'ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub',
  'index.html has no element with the id "root"',
  'Authorization: Bearer {}',
  'A panel could not be displayed',
  'A preview could not be read',
  'A route needs a component',
  'rest of {}',
  'The picture of a file was refused: {}',
  'The film shows no frame.',
  'This browser cannot decode the film.',
  'There is nothing to see.',
  'There is no canvas.',
  'The frame cannot be read.',
  'useFileManager needs a FilesContext above it',
  'useTransfers needs a TransfersProvider above it',
])

/** Elements of ours that show their `name`. */
export const NAMES_SHOWN_BY: ReadonlySet<string> = new Set(['DateProperty', 'Filter', 'Property'])

/** Words that look like code, and are parts of sentences. */
export const WORDS_IN_FILES: Readonly<Record<string, readonly string[]>> = {
  'features/Details/CopyLane.tsx': ['missing'],
  'features/Details/OneDetails.tsx': ['you'],
  'screens/Files/actions/allActions.ts': ['restore', 'delete', 'move', 'copied', 'moved'],
  'screens/Files/actions/rights.ts': ['downloading', 'renaming', 'moving', 'deleting', 'it'],
  'screens/Files/actions/useFileActions.ts': ['restore', 'delete', 'move'],
}
