import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { restoreFilesMutation } from '../../__generated__/restoreFilesMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'
import { type Failure, failuresOf } from './runForAll.ts'

const mutation = graphql`
  mutation restoreFilesMutation($input: RestoreFilesInput!) {
    restoreFiles(input: $input) {
      __typename
      ... on RestoreFilesPayload {
        files {
          id
          name
          trashedAt
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
 * Moves entries out of the trash, back to where they were. @returns those that were refused, while others were not.
 * @throws MutationRefused, Error
 */
export async function restoreFiles(environment: IEnvironment, ids: readonly string[]): Promise<readonly Failure[]> {
  const { restoreFiles: done } = await runMutation<restoreFilesMutation>(environment, {
    mutation,
    variables: { input: { ids } },
    repeats: true,
    outcome: (response) => response.restoreFiles,
  })
  return failuresOf(done)
}
