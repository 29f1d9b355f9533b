import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type {
  UpdateUploadLinkInput,
  updateUploadLinkMutation,
} from '../../__generated__/updateUploadLinkMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation updateUploadLinkMutation($input: UpdateUploadLinkInput!) {
    updateUploadLink(input: $input) {
      __typename
      ... on UpdateUploadLinkPayload {
        uploadLink {
          id
          ...UploadLinkList_link
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
export async function updateUploadLink(environment: IEnvironment, input: UpdateUploadLinkInput): Promise<void> {
  await runMutation<updateUploadLinkMutation>(environment, {
    mutation,
    variables: { input },
    repeats: true,
    outcome: (answer) => answer.updateUploadLink,
  })
}
