import { graphql, useLazyLoadQuery } from 'react-relay'
import type { TagFilterQuery } from '../../../__generated__/TagFilterQuery.graphql.ts'
import { labelIcon, messages } from '../../../features/Tags/labels.ts'
import { nameText } from '../../../lib/nameText.ts'
import type { MenuEntry } from '../../../ui/MenuSurface.tsx'
import { useFileManager } from '../FilesContext.ts'
import { Filter } from './Filter.tsx'

/** The filter by a tag, and the way to the tags themselves. Suspends until they are known. */
export function TagFilter({ isOpened }: { readonly isOpened: boolean }) {
  const { url, setUrl, panels } = useFileManager()
  const { viewer } = useLazyLoadQuery<TagFilterQuery>(
    graphql`
      query TagFilterQuery {
        viewer { id tags { id name color } }
      }
    `,
    {},
    { fetchPolicy: 'store-and-network' },
  )
  const tags = viewer?.tags ?? []
  const items: MenuEntry[] = [
    {
      id: 'any',
      label: 'Any tag',
      checked: url.tag === null,
      onSelect: () => setUrl({ tag: null }, { replace: true }),
    },
    ...tags.map(({ id, name, color }) => ({
      id,
      label: nameText(name),
      icon: labelIcon(color),
      checked: url.tag === id,
      onSelect: () => setUrl({ tag: id }, { replace: true }),
    })),
    'line',
    { id: 'manage', label: messages.manage, onSelect: () => panels.set({ dialog: { kind: 'tags', ids: [] } }) },
  ]
  const chosen = url.tag && (tags.find(({ id }) => id === url.tag)?.name ?? 'Deleted tag')
  return <Filter name="Tag" isOpened={isOpened} value={chosen && nameText(chosen)} items={items} none={{ tag: null }} />
}
