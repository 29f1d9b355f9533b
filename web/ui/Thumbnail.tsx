import type { SyntheticEvent } from 'react'
import { cx } from '../lib/cx.ts'
import styles from './Thumbnail.module.css'

type Props = {
  /** Null draws nothing. */
  readonly url: string | null | undefined
  /** For screens with two pixels per point. */
  readonly denseUrl?: string | null | undefined
  /** White paper, which is dimmed in the dark theme; photographs never are. */
  readonly isPaper: boolean
  /** It is only drawn in or next to the window: the browser need not watch whether it comes near. */
  readonly isNear?: boolean
  readonly className?: string | undefined
}

/**
 * A picture that fills its box, over an icon. It is transparent until it has loaded, so if it cannot be loaded the icon stays. No state:
 * a list with hundreds of pictures is not rendered again for each.
 */
export function Thumbnail({ url, denseUrl, isPaper, isNear = false, className }: Props) {
  return (
    url && (
      <img
        key={url}
        className={cx(styles.picture, isPaper && styles.paper, className)}
        src={url}
        srcSet={denseUrl ? `${url}, ${denseUrl} 2x` : undefined}
        alt=""
        loading={isNear ? undefined : 'lazy'}
        decoding="async"
        draggable={false}
        onLoad={show}
        onError={fail}
      />
    )
  )
}

/** Whether a picture of a file of this category is paper. */
export const isPaper = (category: string): boolean => category !== 'IMAGE' && category !== 'VIDEO'

function fail({ currentTarget }: SyntheticEvent<HTMLElement>): void {
  currentTarget.dataset.failed = ''
}

function show({ currentTarget }: SyntheticEvent<HTMLElement>): void {
  currentTarget.dataset.shown = ''
}
