import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { changeNameMutation } from '../../__generated__/changeNameMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation changeNameMutation($input: ChangeNameInput!) {
    changeName(input: $input) {
      __typename
      ... on ChangeNamePayload {
        viewer {
          id
          fullName
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

/** Shown everywhere at once. @throws MutationRefused, Error */
export async function changeName(environment: IEnvironment, fullName: string): Promise<void> {
  await runMutation<changeNameMutation>(environment, {
    mutation,
    variables: { input: { fullName } },
    outcome: (answer) => answer.changeName,
  })
}
