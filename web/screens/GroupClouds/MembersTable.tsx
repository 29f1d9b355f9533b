import { lazy, Suspense, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { MembersTable_groupCloud$key } from '../../__generated__/MembersTable_groupCloud.graphql.ts'
import styles from './GroupClouds.module.css'
import { type KeepFree, MemberRow } from './MemberRow.tsx'
import { messages } from './messages.ts'
import { useMembers } from './useMembers.ts'

const KeepFreeDialog = lazy(async () => ({ default: (await import('./KeepFreeDialog.tsx')).KeepFreeDialog }))

const { columns } = messages

/** The accounts of a group cloud, in its order. */
export function MembersTable({ groupCloud }: { groupCloud: MembersTable_groupCloud$key }) {
  const { id, members } = useFragment(
    graphql`
      fragment MembersTable_groupCloud on GroupCloud {
        id
        members {
          account {
            id
          }
          ...MemberRow_member
        }
      }
    `,
    groupCloud,
  )
  const [keeping, setKeeping] = useState<KeepFree | null>(null)
  const ids = members.map(({ account }) => account.id)
  const actions = useMembers(id, ids)
  if (members.length === 0) return null
  return (
    <div className="mt-4 border-t border-line-subtle">
      <div className={`${styles.row} ${styles.head} ${styles.members}`} aria-hidden>
        <span>{columns.account}</span>
        <span>{columns.use}</span>
        <span className="text-end">{columns.used}</span>
        <span className="text-end">{columns.free}</span>
        <span>{columns.state}</span>
      </div>
      <ul aria-label={messages.members}>
        {members.map((member, index) => (
          <MemberRow
            key={member.account.id}
            member={member}
            index={index}
            count={members.length}
            actions={actions}
            onKeepFree={setKeeping}
          />
        ))}
      </ul>
      <Suspense fallback={null}>
        {keeping && <KeepFreeDialog groupCloudId={id} member={keeping} onClose={() => setKeeping(null)} />}
      </Suspense>
    </div>
  )
}
