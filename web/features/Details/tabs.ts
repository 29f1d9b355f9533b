import type { Tab } from '../../ui/Tabs.tsx'
import { words as sharing } from '../Share/words.ts'
import { ACTIVITY } from './words.ts'

export type DetailsTab = 'details' | 'activity' | 'sharing'

/** What the panel shows of one file; it stays the same from file to file. */
export type TabChoice = { readonly tab: DetailsTab; readonly onTab: (tab: DetailsTab) => void }

export const TABS: readonly Tab<DetailsTab>[] = [
  { id: 'details', label: 'Details' },
  { id: 'activity', label: ACTIVITY },
  { id: 'sharing', label: sharing.section },
]
