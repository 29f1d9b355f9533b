import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { ActivityCard_viewer$key } from '../../__generated__/ActivityCard_viewer.graphql.ts'
import { formatFullDate } from '../../lib/formatDate.ts'
import cardStyles from '../../ui/Card.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { activityIcon } from './activityIcon.ts'
import styles from './Dashboard.module.css'
import { formatMoment } from './formatMoment.ts'
import { messages } from './messages.ts'

/** The latest activity of all users of the account. */
export function ActivityCard({ viewer }: { viewer: ActivityCard_viewer$key }) {
  const { activities } = useFragment(
    graphql`
      fragment ActivityCard_viewer on User {
        activities(first: 8) {
          edges {
            node {
              id
              at
              action
              sentence
            }
          }
        }
      }
    `,
    viewer,
  )
  const { edges } = activities
  return (
    <section className={cardStyles.card} aria-labelledby="activity">
      <div className={styles.head}>
        <h2 className="h3 grow" id="activity">
          {messages.activity}
        </h2>
        <Link className="link meta" to="/settings#activity">
          {messages.wholeLog}
        </Link>
      </div>
      {edges.length === 0 && <p className={`${styles.attention} meta muted`}>{messages.noActivity}</p>}
      <ul className={styles.activity}>
        {edges.map(({ node: { id, at, action, sentence } }) => (
          <li key={id}>
            <Icon icon={activityIcon(action)} size={14} className="subtle" />
            <span className="grow muted">{sentence}</span>
            <time className="subtle num" dateTime={at} title={formatFullDate(at)}>
              {formatMoment(at)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  )
}
