import { useState } from 'react'
import { graphql, useRelayEnvironment } from 'react-relay'
import type { UpdateGroupCloudInput, useChangeMutation } from '../../__generated__/useChangeMutation.graphql.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

const mutation = graphql`
  mutation useChangeMutation($input: UpdateGroupCloudInput!) {
    updateGroupCloud(input: $input) {
      __typename
      ... on UpdateGroupCloudPayload {
        groupCloud {
          id
          ...PoolCard_groupCloud
        }
        viewer {
          id
          groupClouds {
            id
            defaultUploadGroup
          }
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

export type GroupCloudChange = Omit<UpdateGroupCloudInput, 'id' | 'clientMutationId'>

/** Changes one group cloud and reports the result. `done`: the toast, for what the page does not show by itself. */
export function useChange(id: string) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  const change = async (input: GroupCloudChange, done?: string): Promise<boolean> => {
    setBusy(true)
    try {
      await runMutation<useChangeMutation>(environment, {
        mutation,
        variables: { input: { id, ...input } },
        outcome: (response) => response.updateGroupCloud,
      })
      if (done) toast.success(done)
      return true
    } catch (error) {
      toast.error(messages.failed, { description: reasonOf(error) })
      return false
    } finally {
      setBusy(false)
    }
  }
  return { change, busy }
}
