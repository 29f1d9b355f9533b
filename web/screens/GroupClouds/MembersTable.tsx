import { Suspense, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { MembersTable_groupCloud$key } from '../../__generated__/MembersTable_groupCloud.graphql.ts'
import { lateDialog } from '../../ui/lateDialog.tsx'
import styles from './GroupClouds.module.css'
import { type AskedMember, type KeepFree, MemberRow } from './MemberRow.tsx'
import { messages } from './messages.ts'
import { useMembers } from './useMembers.ts'

const KeepFreeDialog = lateDialog(() => import('./KeepFreeDialog.tsx').then((file) => file.KeepFreeDialog))

const ConfirmDialog = lateDialog(() => import('../../ui/ConfirmDialog.tsx').then((file) => file.ConfirmDialog))

const { columns } = messages

/** The accounts of a group cloud, in its order. */
export function MembersTable({ groupCloud }: { groupCloud: MembersTable_groupCloud$key }) {
  const { id, members } = useFragment(
    graphql`
      fragment MembersTable_groupCloud on GroupCloud {
        id
        members {
          allowOnlyCopy
          account {
            id
          }
          ...MemberRow_member
        }
      }
    `,
    groupCloud,
  )
  const [asking, setAsking] = useState<AskedMember | null>(null)
  const [keeping, setKeeping] = useState<KeepFree | null>(null)
  const ids = members.map(({ account }) => account.id)
  const allowed = members.flatMap((member) => (member.allowOnlyCopy ? [member.account.id] : []))
  const actions = useMembers(id, ids, allowed)
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
            onAllowOnlyCopy={setAsking}
          />
        ))}
      </ul>
      <Suspense fallback={null}>
        {keeping && <KeepFreeDialog groupCloudId={id} member={keeping} onClose={() => setKeeping(null)} />}
        {asking && (
          <ConfirmDialog
            open
            title={messages.onlyCopy.title(asking.name)}
            confirmLabel={messages.onlyCopy.confirm}
            onClose={() => setAsking(null)}
            onConfirm={() => {
              void actions.allowOnlyCopy(asking.accountId, asking.name, true)
              setAsking(null)
            }}
          >
            <p>{messages.onlyCopy.text}</p>
          </ConfirmDialog>
        )}
      </Suspense>
    </div>
  )
}
