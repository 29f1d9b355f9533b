import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../ui/IconButton.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import styles from './Editor.module.css'
import { messages } from './messages.ts'

export type EditorProps = {
  readonly fileId: string
  readonly onClose: () => void
  /** Edits another file instead: a copy. */
  readonly onOpen: (id: string) => void
  readonly onVersions: () => void
}

/** In place of the editor: why there is none. */
export function Frame({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <>
      <header className={styles.head}>
        <span className="grow" />
        <IconButton label={messages.close} icon={X} onClick={onClose} />
      </header>
      <div className={styles.stage}>{children}</div>
    </>
  )
}

export const EditorWaiting = ({ onClose }: { onClose: () => void }) => (
  <Frame onClose={onClose}>
    <Skeleton width={320} height={240} />
  </Frame>
)
