import { type ReactNode, useId } from 'react'
import styles from './Settings.module.css'

type Props = { title: string; text: string /** Under the text. */; action?: ReactNode; children: ReactNode }

/** What it is about at the start, what can be done at the end; one above the other on a narrow screen. */
export function Section({ title, text, action, children }: Props) {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
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
