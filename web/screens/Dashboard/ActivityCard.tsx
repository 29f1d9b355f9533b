import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { ActivityCard_viewer$key } from '../../__generated__/ActivityCard_viewer.graphql.ts'
import { formatFullDate } from '../../lib/formatDate.ts'
import { Icon } from '../../ui/Icon.tsx'
import { activityIcon } from './activityIcon.ts'
import { formatMoment } from './formatMoment.ts'
import { words } from './words.ts'

/** What was done last, by whomever. */
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
    <section className="card" aria-labelledby="activity">
      <div className="dhead">
        <h2 className="h3 grow" id="activity">
          {words.activity}
        </h2>
        <Link className="link meta" to="/settings#activity">
          {words.wholeLog}
        </Link>
      </div>
      {edges.length === 0 && <p className="dattn meta muted">{words.noActivity}</p>}
      <ul className="dacts">
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
