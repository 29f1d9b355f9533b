import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useLocation } from 'react-router'
import styles from './Settings.module.css'

type Props = {
  title: string
  text: string
  /** Under the text. */
  action?: ReactNode
  /** What a link that leads here has after its #. */
  anchor?: string
  children: ReactNode
}

/** What it is about at the start, what can be done at the end; one above the other on a narrow screen. */
export function Section({ title, text, action, anchor, children }: Props) {
  const id = useId()
  const section = useRef<HTMLElement>(null)
  const { hash } = useLocation()
  useEffect(() => {
    if (anchor && hash === `#${anchor}`) section.current?.scrollIntoView({ block: 'start' })
  }, [anchor, hash])
  return (
    <section ref={section} className={styles.section} aria-labelledby={id}>
      <div>
        <h2 className="h2" id={id}>
          {title}
        </h2>
        <p className="muted">{text}</p>
        {action && <div className="mt-3">{action}</div>}
      </div>
      <div>{children}</div>
    </section>
  )
}
