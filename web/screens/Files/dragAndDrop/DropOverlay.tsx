import { Upload } from 'lucide-react'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './DropOverlay.module.css'

/** Covers the page while files from the desktop are dragged over it, and shows their destination, or why they cannot be dropped. */
export function DropOverlay({ text }: { text: string }) {
  return (
    <div className={styles.overlay} role="status">
      <div className={styles.text}>
        <Icon icon={Upload} size={24} />
        <b>{text}</b>
      </div>
    </div>
  )
}
