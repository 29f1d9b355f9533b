import { type KeyboardEvent, Suspense, useRef } from 'react'
import { createPortal } from 'react-dom'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { EditorOverlayQuery } from '../../__generated__/EditorOverlayQuery.graphql.ts'
import { nameText } from '../../lib/nameText.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { useModal } from '../Preview/useModal.ts'
import styles from './Editor.module.css'
import { type EditorProps, EditorWaiting, Frame } from './EditorFrame.tsx'
import { EditorWindow } from './EditorWindow.tsx'
import { isEditable, MOST_EDITED_BYTES } from './editable.ts'
import { messages } from './messages.ts'

/** The editor of one text, in the whole window. Import it lazily. */
export function EditorOverlay(props: EditorProps) {
  const { fileId, onClose } = props
  const root = useRef<HTMLDivElement>(null)
  const keepFocus = useModal(root)
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys that bubble to the page would act on its list.
    event.stopPropagation()
    keepFocus(event)
  }
  return createPortal(
    <div
      ref={root}
      className={styles.editor}
      role="dialog"
      aria-modal
      aria-label="Editor"
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <RetryBoundary key={fileId} fallback={(error) => <Frame onClose={onClose}>{error}</Frame>}>
        <Suspense fallback={<EditorWaiting onClose={onClose} />}>
          <LoadedFile {...props} />
        </Suspense>
      </RetryBoundary>
    </div>,
    document.body,
  )
}

function LoadedFile(props: EditorProps) {
  const { fileId, onClose } = props
  const { viewer } = useLazyLoadQuery<EditorOverlayQuery>(
    graphql`
      query EditorOverlayQuery($id: ID!) {
        viewer {
          id
          file(id: $id) {
            id
            name
            kind
            size
            category
            mimeType
            downloadUrl
            trashedAt
            rights { read }
            groupCloud { name }
            path { id name }
          }
        }
      }
    `,
    { id: fileId },
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  const file = viewer?.file
  if (!file || file.trashedAt) {
    return (
      <Frame onClose={onClose}>
        <EmptyState title={messages.gone} text={messages.goneText} />
      </Frame>
    )
  }
  if (!isEditable(file)) {
    return (
      <Frame onClose={onClose}>
        <EmptyState title={messages.notEditable} text={messages.notEditableText(MOST_EDITED_BYTES)} />
      </Frame>
    )
  }
  const drive = 'My Drive'
  const place = [drive, ...file.path.map(({ name }) => nameText(name))].join(' / ')
  const edited = {
    id: file.id,
    name: file.name,
    downloadUrl: file.downloadUrl,
    parentId: file.path.at(-1)?.id ?? null,
  }
  return (
    <EditorWindow
      {...props}
      file={edited}
      userId={viewer.id}
      place={file.groupCloud ? `${nameText(file.groupCloud.name)} · ${place}` : place}
    />
  )
}
