import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { trashFilesMutation } from '../../__generated__/trashFilesMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation trashFilesMutation($input: TrashFilesInput!) {
    trashFiles(input: $input) {
      __typename
      ... on TrashFilesPayload {
        files {
          id
          trashedAt
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** @throws MutationRefused, Error */
export async function trashFiles(environment: IEnvironment, ids: readonly string[]): Promise<void> {
  await runMutation<trashFilesMutation>(environment, {
    mutation,
    variables: { input: { ids } },
    outcome: (response) => response.trashFiles,
  })
}
