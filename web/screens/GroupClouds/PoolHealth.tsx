import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { PoolHealth_groupCloud$key } from '../../__generated__/PoolHealth_groupCloud.graphql.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { messages } from './messages.ts'

/** Empty without problems; files at risk are shown as a warning, transfers in progress as a note. */
export function PoolHealth({ groupCloud }: { groupCloud: PoolHealth_groupCloud$key }) {
  const { id, health } = useFragment(
    graphql`
      fragment PoolHealth_groupCloud on GroupCloud {
        id
        health {
          atRiskFiles
          storingFiles
          summary
        }
      }
    `,
    groupCloud,
  )
  const { atRiskFiles, storingFiles, summary } = health
  if (atRiskFiles > 0) {
    const show = (
      <Link className={buttonClass('default', 'sm')} to={`/file-manager?state=at-risk&group=${id}`}>
        {messages.health.show(atRiskFiles)}
      </Link>
    )
    return (
      <div className="mx-5 mt-4">
        <Notice tone="warning" action={show}>
          {summary}
        </Notice>
      </div>
    )
  }
  if (storingFiles > 0) return <p className="meta muted mx-5 mt-3">{messages.health.storing(storingFiles)}</p>
  return null
}
