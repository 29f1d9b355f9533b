import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { revokeShareMutation } from '../../__generated__/revokeShareMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation revokeShareMutation($input: RevokeShareInput!) {
    revokeShare(input: $input) {
      __typename
      ... on RevokeSharePayload {
        file {
          id
          shares {
            id
          }
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
export async function revokeShare(environment: IEnvironment, id: string): Promise<void> {
  await runMutation<revokeShareMutation>(environment, {
    mutation,
    variables: { input: { id } },
    repeats: true,
    outcome: (answer) => answer.revokeShare,
  })
}
