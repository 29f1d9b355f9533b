import { CircleAlert, CircleCheck, Info, LoaderCircle } from 'lucide-react'
import { graphql, useFragment } from 'react-relay'
import type { Comparisons_comparison$key } from '../../__generated__/Comparisons_comparison.graphql.ts'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Duplicates.module.css'
import { messages } from './messages.ts'

const LOOK = {
  RUNNING: { icon: LoaderCircle, tone: 'subtle' },
  FAILED: { icon: CircleAlert, tone: 't-danger' },
  DIFFERENT: { icon: Info, tone: 'subtle' },
}
const EQUAL = { icon: CircleCheck, tone: 't-success' }

/** What comparisons of the last day have found, the newest first. */
export function Comparisons({ comparisons }: { comparisons: Comparisons_comparison$key }) {
  const shown = useFragment(
    graphql`
      fragment Comparisons_comparison on DuplicateComparison @relay(plural: true) {
        id
        name
        state
        totalBytes
        doneBytes
        error
      }
    `,
    comparisons,
  )
  if (shown.length === 0) return null
  return (
    <ul className={styles.results} aria-label={messages.results} aria-live="polite">
      {shown.slice(0, 5).map(({ id, name, state, totalBytes, doneBytes, error }) => {
        const { icon, tone } = LOOK[state as keyof typeof LOOK] ?? EQUAL
        const text = state === 'RUNNING' ? messages.comparing(doneBytes, totalBytes) : (error ?? messages.result[state])
        return (
          <li key={id} className="meta" data-state={state}>
            <Icon icon={icon} size={14} className={tone} />
            <b>
              <FileName name={name} />
            </b>
            <span className="muted num">{text}</span>
          </li>
        )
      })}
    </ul>
  )
}
