import { Upload } from 'lucide-react'
import { nameText } from '../../lib/nameText.ts'
import { Icon } from '../../ui/Icon.tsx'

/** Covers the page while files from the desktop are held over it, and says where they would go. */
export function DropOverlay({ place }: { place: string | null }) {
  if (place === null) return null
  return (
    <div className="dropoverlay" role="status">
      <div className="dropoverlay-text">
        <Icon icon={Upload} size={24} />
        <b>Drop to upload to {nameText(place)}</b>
      </div>
    </div>
  )
}
