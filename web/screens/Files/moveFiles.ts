import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { moveFilesMutation } from '../../__generated__/moveFilesMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation moveFilesMutation($input: MoveFilesInput!) {
    moveFiles(input: $input) {
      __typename
      ... on MoveFilesPayload {
        files {
          id
          name
          parent {
            id
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

/** Moves into a folder, or to the root (null). @throws MutationRefused, Error */
export async function moveFiles(
  environment: IEnvironment,
  ids: readonly string[],
  parentId: string | null,
): Promise<void> {
  await runMutation<moveFilesMutation>(environment, {
    mutation,
    variables: { input: { ids, parentId } },
    outcome: (response) => response.moveFiles,
  })
}
