import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { deleteUserMutation } from '../../__generated__/deleteUserMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation deleteUserMutation($input: DeleteUserInput!) {
    deleteUser(input: $input) {
      __typename
      ... on InvalidInputError {
        fields {
          path
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

type Farewell = { readonly password: string; readonly deleteRemote: boolean }

/** Deletes the account permanently and ends its sessions. @throws MutationRefused, Error */
export async function deleteUser(environment: IEnvironment, input: Farewell): Promise<void> {
  await runMutation<deleteUserMutation>(environment, {
    mutation,
    variables: { input },
    outcome: (answer) => answer.deleteUser,
  })
}
