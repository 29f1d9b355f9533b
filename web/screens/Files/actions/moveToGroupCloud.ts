import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { moveToGroupCloudMutation } from '../../../__generated__/moveToGroupCloudMutation.graphql.ts'
import { runMutation } from '../../../relay/runMutation.ts'

const mutation = graphql`
  mutation moveToGroupCloudMutation($input: MoveFilesToGroupCloudInput!) {
    moveFilesToGroupCloud(input: $input) {
      __typename
      ... on MoveFilesToGroupCloudPayload {
        files {
          id
          ...FileRow_file
          ...FileTile_file
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** Folders move with everything in them; the bytes move in the background. @throws MutationRefused, Error */
export async function moveToGroupCloud(
  environment: IEnvironment,
  ids: readonly string[],
  groupCloudId: string,
): Promise<void> {
  await runMutation<moveToGroupCloudMutation>(environment, {
    mutation,
    variables: { input: { ids, groupCloudId } },
    repeats: true,
    outcome: (response) => response.moveFilesToGroupCloud,
  })
}
