import { graphql, useRelayEnvironment } from 'react-relay'
import type { useMembersMutation } from '../../__generated__/useMembersMutation.graphql.ts'
import { MutationRefused, reasonOf, runMutation } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import { useChange } from './useChange.ts'
import { words } from './words.ts'

const mutation = graphql`
  mutation useMembersMutation($input: DrainMemberInput!) {
    drainMember(input: $input) {
      __typename
      ... on DrainMemberPayload {
        groupCloud {
          id
          ...PoolCard_groupCloud
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

export type MemberActions = ReturnType<typeof useMembers>

/** What can be done with the members of one group cloud. `ids` is their order now. */
export function useMembers(groupCloudId: string, ids: readonly string[]) {
  const environment = useRelayEnvironment()
  const { change } = useChange(groupCloudId)

  const move = (accountId: string, by: -1 | 1) => {
    const from = ids.indexOf(accountId)
    const order = ids.filter((id) => id !== accountId)
    order.splice(from + by, 0, accountId)
    return change({ accountIds: order })
  }

  /** Empties a member into the others, after which it leaves; one that holds nothing leaves at once. */
  const drain = async (accountId: string, name: string, draining: boolean) => {
    try {
      await runMutation<useMembersMutation>(environment, {
        mutation,
        variables: { input: { id: groupCloudId, accountId, draining } },
        outcome: (response) => response.drainMember,
      })
      if (draining) toast.info(words.member.draining(name), { description: words.member.drainingText })
    } catch (error) {
      const text = error instanceof MutationRefused ? error.message : reasonOf(error)
      toast.error(words.failed, { description: text })
    }
  }

  return { move, drain }
}
