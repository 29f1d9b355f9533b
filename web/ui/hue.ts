import type { CSSProperties } from 'react'

/** The account's colour as the custom property `--h`; 0 is this server's own. Further properties may be added. */
export function hueStyle(hue: number, more?: Record<`--${string}`, string> & CSSProperties): CSSProperties {
  return { '--h': hue === 0 ? 'var(--hue-local)' : `var(--hue-${hue})`, ...more } as CSSProperties
}
