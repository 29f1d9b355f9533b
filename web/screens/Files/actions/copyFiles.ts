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

/**
 * New files of the same bytes in a folder, or in the root (null); resolves when the last is there, or with true when they are copied
 * in the background. @throws MutationRefused, Error
 */
export async function copyFiles(
  environment: IEnvironment,
  ids: readonly string[],
  parentId: string | null,
  groupCloudId: string | null = null,
): Promise<boolean> {
  const { copyFiles: done } = await runMutation<copyFilesMutation>(environment, {
    mutation,
    variables: { input: { ids, parentId, ...(groupCloudId !== null && { groupCloudId }) } },
    repeats: true,
    outcome: (response) => response.copyFiles,
  })
  return done.job != null
}
