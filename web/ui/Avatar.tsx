import { useState } from 'react'
import { cx } from '../lib/cx.ts'
import styles from './Avatar.module.css'

type Props = { name: string; src?: string | null | undefined; size?: 20 | 32 | 40 }

const SIZE = { 20: styles.size20, 32: '', 40: styles.size40 }

/**
 * The picture, or the initials, in the colours of the theme, until it loads or when there is none. Decorative: the
 * name is next to it.
 */
export function Avatar({ name, src, size = 40 }: Props) {
  const [loaded, setLoaded] = useState(false)
  return (
    <span className={cx(styles.avatar, SIZE[size])} aria-hidden>
      {!loaded && initials(name)}
      {src && (
        <img
          src={`${src}?picture=only`}
          alt=""
          hidden={!loaded}
          onLoad={() => setLoaded(true)}
          onError={() => setLoaded(false)}
        />
      )}
    </span>
  )
}

/** First letters of the first and the last word. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '')
  return letters.join('').toUpperCase()
}
