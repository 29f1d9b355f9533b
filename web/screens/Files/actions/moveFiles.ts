import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { moveFilesMutation } from '../../../__generated__/moveFilesMutation.graphql.ts'
import { type Failure, failuresOf, runMutation } from '../../../relay/runMutation.ts'

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
        job {
          id
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** `isJob`: the content is moved in the background, and nothing has changed yet. */
export type Moved = { readonly failures: readonly Failure[]; readonly isJob: boolean }

/**
 * Moves into a folder, or to the root (null). @returns those that were refused, while others were not. @throws
 * MutationRefused, Error
 */
export async function moveFiles(
  environment: IEnvironment,
  ids: readonly string[],
  parentId: string | null,
  groupCloudId: string | null = null,
): Promise<Moved> {
  const { moveFiles: done } = await runMutation<moveFilesMutation>(environment, {
    mutation,
    variables: { input: { ids, parentId, ...(groupCloudId !== null && { groupCloudId }) } },
    repeats: true,
    outcome: (response) => response.moveFiles,
  })
  return { failures: failuresOf(done), isJob: done.job != null }
}
