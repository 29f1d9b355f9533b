import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type {
  CreateUploadLinkInput,
  createUploadLinkMutation,
} from '../../__generated__/createUploadLinkMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation createUploadLinkMutation($input: CreateUploadLinkInput!) {
    createUploadLink(input: $input) {
      __typename
      ... on CreateUploadLinkPayload {
        uploadLink {
          url
        }
        folder {
          id
          uploadLinks {
            id
            ...UploadLinkList_link
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

/** @returns the address of the link @throws MutationRefused, Error */
export async function createUploadLink(environment: IEnvironment, input: CreateUploadLinkInput): Promise<string> {
  const { createUploadLink: made } = await runMutation<createUploadLinkMutation>(environment, {
    mutation,
    variables: { input },
    repeats: true,
    outcome: (answer) => answer.createUploadLink,
  })
  return made.uploadLink?.url ?? ''
}
