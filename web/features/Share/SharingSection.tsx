import { Link2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { SharingSection_file$key } from '../../__generated__/SharingSection_file.graphql.ts'
import { Button } from '../../ui/Button.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import detailsStyles from '../Details/Details.module.css'
import { messages } from './messages.ts'
import { ShareLinks } from './ShareLinks.tsx'

const ShareDialog = lateDialog(() => import('./ShareDialog.tsx').then((file) => file.ShareDialog))

/** In the details: the links of the file, and a button for a new one. */
export function SharingSection({ file: key }: { file: SharingSection_file$key }) {
  const file = useFragment(
    graphql`
      fragment SharingSection_file on File {
        id
        name
        trashedAt
        shares {
          id
        }
        ...ShareLinks_file
      }
    `,
    key,
  )
  const [isOpen, setOpen] = useState(false)
  return (
    <section className={detailsStyles.section} aria-label={messages.section}>
      <header>
        <h3 className="h3">{messages.section}</h3>
        {!file.trashedAt && (
          <Button size="sm" icon={Link2} onClick={() => setOpen(true)}>
            {messages.share}
          </Button>
        )}
      </header>
      {file.shares.length > 0 ? (
        <ShareLinks file={file} />
      ) : (
        <p className="meta subtle">{file.trashedAt ? messages.inTrash : messages.notShared}</p>
      )}
      <Suspense>{isOpen && <ShareDialog fileId={file.id} name={file.name} onClose={() => setOpen(false)} />}</Suspense>
    </section>
  )
}
