import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { revokeUploadLinkMutation } from '../../__generated__/revokeUploadLinkMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation revokeUploadLinkMutation($input: RevokeUploadLinkInput!) {
    revokeUploadLink(input: $input) {
      __typename
      ... on RevokeUploadLinkPayload {
        folder {
          id
          uploadLinks {
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
export async function revokeUploadLink(environment: IEnvironment, id: string): Promise<void> {
  await runMutation<revokeUploadLinkMutation>(environment, {
    mutation,
    variables: { input: { id } },
    repeats: true,
    outcome: (answer) => answer.revokeUploadLink,
  })
}
