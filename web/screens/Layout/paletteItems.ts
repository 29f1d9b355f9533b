import { ChartPie, Copy, type LucideIcon, Moon, Sun } from 'lucide-react'
import { chooseTheme } from '../../lib/theme.ts'
import { BROWSE, SETTINGS } from './SidebarNav.tsx'

/** What the palette can do: go to an address, or run something here. */
export type PaletteItem = {
  readonly id: string
  readonly label: string
  /** Other words by which people look for it. */
  readonly words?: string
  readonly icon: LucideIcon
} & ({ readonly to: string } | { readonly run: () => void })

/** Other words for the screens of the sidebar, by their addresses. */
const WORDS: Readonly<Record<string, string>> = {
  '/dashboard': 'overview',
  '/file-manager/my-drive': 'folders',
  '/file-manager/shared': 'links',
  '/file-manager/starred': 'favourites favorites',
  '/file-manager/trash': 'deleted bin',
  '/cloud-integration': 'accounts connect storage',
  '/group-cloud': 'pools copies',
  '/key-management': 'programs tokens',
  '/settings': 'password profile sessions',
}

const PAGES: readonly PaletteItem[] = [
  ...[...BROWSE, ...SETTINGS].map(([to, label, icon]) => ({ id: to, label, icon, to, words: WORDS[to] ?? '' })),
  { id: 'room', label: 'Storage use', words: 'space room large', icon: ChartPie, to: '/file-manager/room' },
  { id: 'duplicates', label: 'Duplicates', words: 'same copies', icon: Copy, to: '/file-manager/duplicates' },
]

const ACTIONS: readonly PaletteItem[] = [
  { id: 'light', label: 'Light theme', words: 'bright appearance', icon: Sun, run: () => chooseTheme('light') },
  { id: 'dark', label: 'Dark theme', words: 'night appearance', icon: Moon, run: () => chooseTheme('dark') },
]

/** Pages and actions in which each typed word begins a word; all pages when nothing is typed. */
export function matchingItems(text: string): { pages: readonly PaletteItem[]; actions: readonly PaletteItem[] } {
  const matches = ({ label, words = '' }: PaletteItem) => matchesTyped(text, `${label} ${words}`)
  return { pages: PAGES.filter(matches), actions: ACTIONS.filter(matches) }
}

/** Whether each typed word begins a word of `label`. */
export function matchesTyped(typed: string, label: string): boolean {
  const words = wordsOf(label)
  return wordsOf(typed).every((part) => words.some((word) => word.startsWith(part)))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}
