import { Tag } from 'lucide-react'
import { Suspense, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { TagsSection_file$key } from '../../__generated__/TagsSection_file.graphql.ts'
import { nameText } from '../../lib/nameText.ts'
import { Button } from '../../ui/Button.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import detailsStyles from '../Details/Details.module.css'
import { tagFiles } from './labelFiles.ts'
import { messages } from './labels.ts'
import { TagList } from './TagList.tsx'

const TagsDialog = lateDialog(() => import('./TagsDialog.tsx').then((file) => file.TagsDialog))

/** In the details of a file or folder: its tags, and a button that changes them. */
export function TagsSection({ file: key }: { file: TagsSection_file$key }) {
  const environment = useRelayEnvironment()
  const { id, name, trashedAt, tags } = useFragment(
    graphql`
      fragment TagsSection_file on File {
        id
        name
        trashedAt
        tags { id ...TagList_tags }
      }
    `,
    key,
  )
  const [isOpen, setOpen] = useState(false)
  return (
    <section className={detailsStyles.section} aria-label={messages.title}>
      <header>
        <h3 className="h3">{messages.title}</h3>
        {!trashedAt && (
          <Button size="sm" icon={Tag} onClick={() => setOpen(true)}>
            {messages.open}
          </Button>
        )}
      </header>
      {tags.length > 0 ? <TagList tags={tags} /> : <p className="meta subtle">{messages.none}</p>}
      <Suspense>
        {isOpen && (
          <TagsDialog
            ids={[id]}
            description={nameText(name)}
            onChange={(tag, isOn) => tagFiles(environment, [id], tag, isOn, () => name)}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </section>
  )
}
