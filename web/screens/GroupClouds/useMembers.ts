import { graphql, useRelayEnvironment } from 'react-relay'
import type { useMembersMutation } from '../../__generated__/useMembersMutation.graphql.ts'
import { MutationRefused, reasonOf, runMutation } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'
import { useChange } from './useChange.ts'

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

/** The actions on the members of one group cloud. `ids` is their order now; `allowed` may hold the only copy of a file. */
export function useMembers(groupCloudId: string, ids: readonly string[], allowed: readonly string[]) {
  const environment = useRelayEnvironment()
  const { change } = useChange(groupCloudId)

  const move = (accountId: string, by: -1 | 1) => {
    const from = ids.indexOf(accountId)
    const order = ids.filter((id) => id !== accountId)
    order.splice(from + by, 0, accountId)
    return change({ accountIds: order })
  }

  /** Moves the files of a member to the others and then removes it; an empty member is removed immediately. */
  const drain = async (accountId: string, name: string, draining: boolean) => {
    try {
      await runMutation<useMembersMutation>(environment, {
        mutation,
        variables: { input: { id: groupCloudId, accountId, draining } },
        outcome: (response) => response.drainMember,
      })
      if (draining) toast.info(messages.member.draining(name), { description: messages.member.drainingText })
    } catch (error) {
      const text = error instanceof MutationRefused ? error.message : reasonOf(error)
      toast.error(messages.failed, { description: text })
    }
  }

  const allowOnlyCopy = (accountId: string, name: string, allow: boolean) => {
    const others = allowed.filter((id) => id !== accountId)
    const done = allow ? messages.onlyCopy.allowed(name) : messages.onlyCopy.forbidden(name)
    return change({ allowOnlyCopy: allow ? [...others, accountId] : others }, done)
  }

  return { move, drain, allowOnlyCopy }
}
