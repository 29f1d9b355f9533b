import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { UpdateShareInput, updateShareMutation } from '../../__generated__/updateShareMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation updateShareMutation($input: UpdateShareInput!) {
    updateShare(input: $input) {
      __typename
      ... on UpdateSharePayload {
        share {
          id
          ...ShareLink_share
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
export async function updateShare(environment: IEnvironment, input: UpdateShareInput): Promise<void> {
  await runMutation<updateShareMutation>(environment, {
    mutation,
    variables: { input },
    repeats: true,
    outcome: (answer) => answer.updateShare,
  })
}
