import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { addToPoolMutation } from '../../__generated__/addToPoolMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation addToPoolMutation($input: UpdateGroupCloudInput!) {
    updateGroupCloud(input: $input) {
      __typename
      ... on UpdateGroupCloudPayload {
        groupCloud {
          id
          ...PoolCard_groupCloud
        }
        viewer {
          id
          ...ConnectedAccounts_viewer
          ...PoolSummary_viewer
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** `accountIds` replaces the list of members. @throws MutationRefused, Error */
export async function addToPool(environment: IEnvironment, id: string, accountIds: string[]): Promise<void> {
  await runMutation<addToPoolMutation>(environment, {
    mutation,
    variables: { input: { id, accountIds } },
    outcome: (answer) => answer.updateGroupCloud,
  })
}
