import { Upload } from 'lucide-react'
import { nameText } from '../../../lib/nameText.ts'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './DropOverlay.module.css'

/** Covers the page while files from the desktop are dragged over it, and shows their destination. */
export function DropOverlay({ place }: { place: string | null }) {
  if (place === null) return null
  return (
    <div className={styles.overlay} role="status">
      <div className={styles.text}>
        <Icon icon={Upload} size={24} />
        <b>Drop to upload to {nameText(place)}</b>
      </div>
    </div>
  )
}
