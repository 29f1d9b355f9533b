import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { useState } from 'react'
import { nameText } from '../../lib/nameText.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './Preview.module.css'

const STEPS = [0.25, 0.5, 1, 2, 4] as const

type Props = { readonly name: string; readonly url: string; readonly onBroken: () => void }

/** Fitted at first; scrolls when zoomed. A double click toggles between fitted and actual size. */
export function ImagePreview({ name, url, onBroken }: Props) {
  /** Null: fitted into the stage; otherwise a factor of the actual size. */
  const [zoom, setZoom] = useState<number | null>(null)
  const [width, setWidth] = useState(0)
  const bigger = STEPS.find((step) => step > (zoom ?? 0.9))
  const smaller = STEPS.findLast((step) => step < (zoom ?? 1))
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the buttons below */}
      <div
        className={zoom === null ? styles.fit : styles.zoomed}
        onDoubleClick={() => setZoom(zoom === null ? 1 : null)}
      >
        <img
          src={url}
          alt={nameText(name)}
          draggable={false}
          style={zoom === null ? undefined : { width: width * zoom, maxWidth: 'none' }}
          onLoad={(event) => setWidth(event.currentTarget.naturalWidth)}
          onError={onBroken}
        />
      </div>
      <div className={styles.zoom} role="toolbar" aria-label="Zoom">
        <IconButton
          label="Zoom out"
          icon={ZoomOut}
          disabled={smaller === undefined}
          onClick={() => setZoom(smaller ?? null)}
        />
        <span className="meta num min-w-12 px-1 text-center" aria-live="polite">
          {zoom === null ? 'Fit' : `${zoom * 100}%`}
        </span>
        <IconButton
          label="Zoom in"
          icon={ZoomIn}
          disabled={bigger === undefined}
          onClick={() => setZoom(bigger ?? null)}
        />
        <IconButton label="Fit to window" icon={Maximize} disabled={zoom === null} onClick={() => setZoom(null)} />
      </div>
    </>
  )
}
