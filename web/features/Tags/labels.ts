import { Circle, type LucideIcon, type LucideProps } from 'lucide-react'
import { type CSSProperties, createElement, forwardRef } from 'react'
import type { LabelColor } from '../../__generated__/TagList_tags.graphql.ts'
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

export type Color = keyof typeof COLOR_NAMES

export const COLORS = Object.keys(COLOR_NAMES) as Color[]

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
  removeText: 'It is taken off everything that has it. The files and folders stay.',
  put: (name: string) => `Tag ${nameText(name)} added`,
  taken: (name: string) => `Tag ${nameText(name)} removed`,
  notPut: 'Could not change the tags of',
  failed: 'Could not change the tags',
  on: (names: string) => `Tags: ${names}`,
  folderColor: 'Folder colour',
  usual: 'Usual colour',
  notColored: 'Could not change the colour of',
} as const

/** The colour of a tag or folder as the text colour. */
export const labelStyle = (color: string): CSSProperties => ({ color: `var(--label-${color.toLowerCase()})` })

const icons = new Map<string, LucideIcon>()

/** A dot in a colour, as the icon of a menu item. The same for each call with the same colour. */
export function labelIcon(color: string): LucideIcon {
  const known = icons.get(color)
  if (known) return known
  const icon = forwardRef<SVGSVGElement, LucideProps>((props, ref) =>
    createElement(Circle, { ...props, ref, style: { ...labelStyle(color), fill: 'currentColor' } }),
  ) as LucideIcon
  icons.set(color, icon)
  return icon
}
