import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { starFilesMutation } from '../../../__generated__/starFilesMutation.graphql.ts'
import { type Failure, failuresOf, runMutation } from '../../../relay/runMutation.ts'

const mutation = graphql`
  mutation starFilesMutation($input: StarFilesInput!) {
    starFiles(input: $input) {
      __typename
      ... on StarFilesPayload {
        files {
          id
          starred
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
 * Adds or removes the star; the list shows it at once. @returns those that were refused, while others were not.
 * @throws MutationRefused, Error
 */
export async function starFiles(
  environment: IEnvironment,
  ids: readonly string[],
  starred: boolean,
): Promise<readonly Failure[]> {
  const { starFiles: done } = await runMutation<starFilesMutation>(environment, {
    mutation,
    variables: { input: { ids, starred } },
    optimisticUpdater: (store) => {
      for (const id of ids) store.get(id)?.setValue(starred, 'starred')
    },
    repeats: true,
    outcome: (response) => response.starFiles,
  })
  return failuresOf(done)
}
