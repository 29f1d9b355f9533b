import { graphql, useFragment } from 'react-relay'
import type { TagList_tags$key } from '../../__generated__/TagList_tags.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { nameText } from '../../lib/nameText.ts'
import { labelStyle, messages } from './labels.ts'
import styles from './TagList.module.css'

type Props = {
  readonly tags: TagList_tags$key
  /** As many are shown, and the number of the others; by default all. */
  readonly most?: number
  /** Whether narrow screens show only the dots. */
  readonly isBrief?: boolean
}

/** The tags of a file: dots in their colours, with names. Import it lazily in lists. */
export function TagList({ tags: key, most = Number.POSITIVE_INFINITY, isBrief = false }: Props) {
  const tags = useFragment(
    graphql`
      fragment TagList_tags on Tag @relay(plural: true) {
        id
        name
        color
      }
    `,
    key,
  )
  const names = messages.on(tags.map(({ name }) => nameText(name)).join(', '))
  const more = tags.length - most
  return (
    <span
      className={cx(styles.tags, isBrief ? styles.isBrief : most === Number.POSITIVE_INFINITY && styles.isWrapped)}
      title={names}
    >
      <span className="sr-only">{names}</span>
      {tags.slice(0, most).map(({ id, name, color }) => (
        <span key={id} className={styles.tag} aria-hidden>
          <i className={styles.dot} style={labelStyle(color)} />
          <span className={`${styles.name} ell`}>{nameText(name)}</span>
        </span>
      ))}
      {more > 0 && (
        <span className="subtle num" aria-hidden>
          +{more}
        </span>
      )}
    </span>
  )
}
