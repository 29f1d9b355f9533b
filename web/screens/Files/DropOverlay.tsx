import { Upload } from 'lucide-react'
import { Icon } from '../../ui/Icon.tsx'

/** Covers the page while files from the desktop are held over it, and says where they would go. */
export function DropOverlay({ place }: { place: string | null }) {
  if (place === null) return null
  return (
    <div className="dropoverlay" role="status">
      <div className="dropoverlay-text">
        <Icon icon={Upload} size={24} />
        <b>Drop to upload to {place}</b>
      </div>
    </div>
  )
}
