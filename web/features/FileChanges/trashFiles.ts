import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { trashFilesMutation } from '../../__generated__/trashFilesMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'
import { type Failure, failuresOf } from './runForAll.ts'

const mutation = graphql`
  mutation trashFilesMutation($input: TrashFilesInput!) {
    trashFiles(input: $input) {
      __typename
      ... on TrashFilesPayload {
        files {
          id
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

/** @returns those that were refused, while others were not. @throws MutationRefused, Error */
export async function trashFiles(environment: IEnvironment, ids: readonly string[]): Promise<readonly Failure[]> {
  const { trashFiles: done } = await runMutation<trashFilesMutation>(environment, {
    mutation,
    variables: { input: { ids } },
    repeats: true,
    outcome: (response) => response.trashFiles,
  })
  return failuresOf(done)
}
