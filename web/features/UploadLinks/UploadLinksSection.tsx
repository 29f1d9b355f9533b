import { Inbox } from 'lucide-react'
import { Suspense, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { UploadLinksSection_file$key } from '../../__generated__/UploadLinksSection_file.graphql.ts'
import { Button } from '../../ui/Button.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import detailsStyles from '../Details/Details.module.css'
import { messages } from './messages.ts'
import { UploadLinkList } from './UploadLinkList.tsx'

const UploadLinkDialog = lateDialog(() => import('./UploadLinkDialog.tsx').then((file) => file.UploadLinkDialog))

/** In the details of a folder: its upload links, and a button for a new one. */
export function UploadLinksSection({ file: key }: { file: UploadLinksSection_file$key }) {
  const folder = useFragment(
    graphql`
      fragment UploadLinksSection_file on File {
        id
        name
        trashedAt
        uploadLinks {
          id
        }
        ...UploadLinkList_folder
      }
    `,
    key,
  )
  const [isOpen, setOpen] = useState(false)
  return (
    <section className={detailsStyles.section} aria-label={messages.section}>
      <header>
        <h3 className="h3">{messages.section}</h3>
        {!folder.trashedAt && (
          <Button size="sm" icon={Inbox} onClick={() => setOpen(true)}>
            {messages.request}
          </Button>
        )}
      </header>
      {folder.uploadLinks.length > 0 ? (
        <UploadLinkList folder={folder} />
      ) : (
        <p className="meta subtle">{folder.trashedAt ? messages.inTrash : messages.none}</p>
      )}
      <Suspense>
        {isOpen && <UploadLinkDialog folderId={folder.id} name={folder.name} onClose={() => setOpen(false)} />}
      </Suspense>
    </section>
  )
}
