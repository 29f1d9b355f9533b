import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { deleteGroupCloudMutation } from '../../__generated__/deleteGroupCloudMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation deleteGroupCloudMutation($input: DeleteGroupCloudInput!) {
    deleteGroupCloud(input: $input) {
      __typename
      ... on DeleteGroupCloudPayload {
        viewer {
          id
          groupClouds {
            id
            ...PoolCard_groupCloud
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

/** Exactly one, or neither where it holds no files. */
export type FilesOfDeleted = { readonly moveTo?: string; readonly trash?: true }

/** @throws MutationRefused, Error */
export async function deleteGroupCloud(environment: IEnvironment, id: string, files: FilesOfDeleted): Promise<void> {
  await runMutation<deleteGroupCloudMutation>(environment, {
    mutation,
    variables: { input: { id, ...files } },
    repeats: true,
    outcome: (response) => response.deleteGroupCloud,
  })
}
