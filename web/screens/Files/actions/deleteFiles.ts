import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { deleteFilesMutation } from '../../../__generated__/deleteFilesMutation.graphql.ts'
import { type Failure, failuresOf, runMutation, unlessGone } from '../../../relay/runMutation.ts'

const mutation = graphql`
  mutation deleteFilesMutation($input: DeleteFilesInput!) {
    deleteFiles(input: $input) {
      __typename
      ... on DeleteFilesPayload {
        deletedIds
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
 * Deletes permanently; this cannot be undone. @returns the entries that were refused. @throws MutationRefused, Error
 */
export async function deleteFiles(environment: IEnvironment, ids: readonly string[]): Promise<readonly Failure[]> {
  const deletion = runMutation<deleteFilesMutation>(environment, {
    mutation,
    variables: { input: { ids } },
    repeats: true,
    outcome: (response) => response.deleteFiles,
  })
  // Of several, those that are there would be hidden by one that is not: they are tried one by one.
  const answer = await (ids.length === 1 ? unlessGone(deletion) : deletion)
  return answer === null ? [] : failuresOf(answer.deleteFiles)
}
