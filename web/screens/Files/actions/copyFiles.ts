import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { copyFilesMutation } from '../../../__generated__/copyFilesMutation.graphql.ts'
import { runMutation } from '../../../relay/runMutation.ts'

const mutation = graphql`
  mutation copyFilesMutation($input: CopyFilesInput!) {
    copyFiles(input: $input) {
      __typename
      ... on CopyFilesPayload {
        files {
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

/**
 * New files of the same bytes in a folder, or in the root (null); resolves when the last is there. @throws
 * MutationRefused, Error
 */
export async function copyFiles(
  environment: IEnvironment,
  ids: readonly string[],
  parentId: string | null,
): Promise<void> {
  await runMutation<copyFilesMutation>(environment, {
    mutation,
    variables: { input: { ids, parentId } },
    outcome: (response) => response.copyFiles,
  })
}
