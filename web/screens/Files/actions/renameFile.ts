import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { renameFileMutation } from '../../../__generated__/renameFileMutation.graphql.ts'
import { runMutation } from '../../../relay/runMutation.ts'

const mutation = graphql`
  mutation renameFileMutation($input: RenameFileInput!) {
    renameFile(input: $input) {
      __typename
      ... on RenameFilePayload {
        file {
          id
          name
          updatedAt
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** Gives a file or folder another name; the list shows it at once. @throws MutationRefused, Error */
export async function renameFile(environment: IEnvironment, id: string, name: string): Promise<void> {
  await runMutation<renameFileMutation>(environment, {
    mutation,
    variables: { input: { id, name } },
    optimisticUpdater: (store) => store.get(id)?.setValue(name, 'name'),
    repeats: true,
    outcome: (response) => response.renameFile,
  })
}
