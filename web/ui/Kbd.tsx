import styles from './Kbd.module.css'

/** A key cap: decoration for a shortcut that is described elsewhere. */
export function Kbd({ children }: { children: string }) {
  return (
    <span className={styles.kbd} aria-hidden>
      {children}
    </span>
  )
}
