import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { moveFilesMutation } from '../../../__generated__/moveFilesMutation.graphql.ts'
import { runMutation } from '../../../relay/runMutation.ts'
import { type Failure, failuresOf } from './runForAll.ts'

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
        failures {
          id
          message
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/**
 * Moves into a folder, or to the root (null). @returns those that were refused, while others were not. @throws
 * MutationRefused, Error
 */
export async function moveFiles(
  environment: IEnvironment,
  ids: readonly string[],
  parentId: string | null,
): Promise<readonly Failure[]> {
  const { moveFiles: done } = await runMutation<moveFilesMutation>(environment, {
    mutation,
    variables: { input: { ids, parentId } },
    outcome: (response) => response.moveFiles,
  })
  return failuresOf(done)
}
