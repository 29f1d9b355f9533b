import { File, FileText, Film, Folder, Image, type LucideIcon, Music, Presentation, Table2 } from 'lucide-react'
import { cx } from '../lib/cx.ts'
import styles from './FileIcon.module.css'
import { Icon } from './Icon.tsx'
import { isPaper, Thumbnail } from './Thumbnail.tsx'

const ICONS: Record<string, LucideIcon> = {
  FOLDER: Folder,
  IMAGE: Image,
  PDF: FileText,
  VIDEO: Film,
  AUDIO: Music,
  TEXT: FileText,
  DOCUMENT: FileText,
  SPREADSHEET: Table2,
  PRESENTATION: Presentation,
}

type Props = {
  /** A FileCategory of the schema; what is not known is drawn as a plain file. */
  category: string
  /** Box in pixels: 20 in rows, 32 in queues, 40 in heads. */
  size?: 20 | 32 | 40
  /** Of a folder: its user's colour for it. */
  color?: string | null | undefined
  /** A small picture of the file, which is drawn over the icon. */
  thumbnailUrl?: string | null | undefined
}

const SIZE = { 20: '', 32: styles.size32, 40: styles.size40 }

/** Neutral for files, accent for folders unless their user has chosen a colour. */
export function FileIcon({ category, size = 20, color, thumbnailUrl }: Props) {
  return (
    <span
      className={cx(styles.icon, category === 'FOLDER' && styles.folder, SIZE[size])}
      style={color ? { color: `var(--label-${color.toLowerCase()})` } : undefined}
      data-testid="file-icon"
      aria-hidden
    >
      <Icon icon={ICONS[category] ?? File} size={size === 20 ? 18 : 20} />
      <Thumbnail url={thumbnailUrl} isPaper={isPaper(category)} className={styles.picture} />
    </span>
  )
}
