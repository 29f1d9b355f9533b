import type { LabelColor } from '../../__generated__/TagList_tags.graphql.ts'
import { items } from '../../lib/items.ts'
import { nameText } from '../../lib/nameText.ts'

/** In the order in which they are offered. */
export const COLOR_NAMES: Readonly<Record<Exclude<LabelColor, '%future added value'>, string>> = {
  RED: 'Red',
  ORANGE: 'Orange',
  YELLOW: 'Yellow',
  GREEN: 'Green',
  TEAL: 'Teal',
  BLUE: 'Blue',
  PURPLE: 'Purple',
  PINK: 'Pink',
}

/** Texts about tags. */
export const messages = {
  title: 'Tags',
  manageTitle: 'Manage tags',
  manage: 'Manage tags…',
  open: 'Tags…',
  none: 'No tags',
  field: 'Find or create a tag',
  fieldHint: 'Up to 50 characters. Only you see your tags.',
  empty: 'You have no tags yet. Enter a name to create one.',
  notFound: 'No tag has this name.',
  create: (name: string) => `Create “${nameText(name)}”`,
  edit: (name: string) => `Edit tag ${nameText(name)}`,
  name: 'Name',
  color: 'Colour',
  save: 'Save',
  remove: 'Delete tag',
  removeTitle: (name: string) => `Delete the tag “${nameText(name)}”?`,
  removeText: (count: number) =>
    count === 0 ? 'Nothing has it.' : `It is taken off ${items(count)}, which stay${count === 1 ? 's' : ''} as before.`,
  put: (name: string) => `Tag ${nameText(name)} added`,
  taken: (name: string) => `Tag ${nameText(name)} removed`,
  notPut: 'Could not change the tags of',
  failed: 'Could not change the tags',
  on: (names: string) => `Tags: ${names}`,
  folderColor: 'Folder colour',
  usual: 'Usual colour',
  notColored: 'Could not change the colour of',
} as const
