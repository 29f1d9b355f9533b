import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { restoreFilesMutation } from '../../__generated__/restoreFilesMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

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
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** Takes out of the trash, back to where it was. @throws MutationRefused, Error */
export async function restoreFiles(environment: IEnvironment, ids: readonly string[]): Promise<void> {
  await runMutation<restoreFilesMutation>(environment, {
    mutation,
    variables: { input: { ids } },
    outcome: (response) => response.restoreFiles,
  })
}
