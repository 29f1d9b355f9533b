import type { Tab } from '../../ui/Tabs.tsx'
import { messages as sharing } from '../Share/messages.ts'
import { ACTIVITY } from './messages.ts'

export type DetailsTab = 'details' | 'activity' | 'versions' | 'sharing'

/** The tab that the panel shows; kept when another file is selected. */
export type TabChoice = { readonly tab: DetailsTab; readonly onTab: (tab: DetailsTab) => void }

export const TABS: readonly Tab<DetailsTab>[] = [
  { id: 'details', label: 'Details' },
  { id: 'activity', label: ACTIVITY },
  { id: 'versions', label: 'Versions' },
  { id: 'sharing', label: sharing.section },
]

/** Folders have no versions. */
export const FOLDER_TABS: readonly Tab<DetailsTab>[] = TABS.filter(({ id }) => id !== 'versions')
