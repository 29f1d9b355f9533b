import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { createFolderMutation } from '../../../__generated__/createFolderMutation.graphql.ts'
import { runMutation } from '../../../relay/runMutation.ts'

const mutation = graphql`
  mutation createFolderMutation($input: CreateFolderInput!) {
    createFolder(input: $input) {
      __typename
      ... on CreateFolderPayload {
        file {
          id
          name
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** @returns the new folder's id @throws MutationRefused, Error */
export async function createFolder(environment: IEnvironment, name: string, parentId: string | null): Promise<string> {
  const response = await runMutation<createFolderMutation>(environment, {
    mutation,
    variables: { input: { name, parentId } },
    repeats: true,
    outcome: (answer) => answer.createFolder,
  })
  const id = response.createFolder.file?.id
  if (!id) throw new Error('The server did not return the new folder.')
  return id
}
