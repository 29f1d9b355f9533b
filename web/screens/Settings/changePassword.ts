import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { changePasswordMutation } from '../../__generated__/changePasswordMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation changePasswordMutation($input: ChangePasswordInput!) {
    changePassword(input: $input) {
      __typename
      ... on ChangePasswordPayload {
        viewer {
          ...Sessions_viewer
        }
      }
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

type Passwords = { readonly currentPassword: string; readonly newPassword: string }

/** Ends all other sessions. @throws MutationRefused, Error */
export async function changePassword(environment: IEnvironment, input: Passwords): Promise<void> {
  await runMutation<changePasswordMutation>(environment, {
    mutation,
    variables: { input },
    outcome: (answer) => answer.changePassword,
  })
}
