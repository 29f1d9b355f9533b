import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { createApiKeyMutation } from '../../__generated__/createApiKeyMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation createApiKeyMutation($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      __typename
      ... on CreateApiKeyPayload {
        viewer {
          id
          apiKeys {
            id
            name
            key
            status
            usage {
              day
              calls
            }
          }
          ...KeyList_viewer
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

export type ApiKeyInput = createApiKeyMutation['variables']['input']

/** @throws MutationRefused, Error */
export async function createApiKey(environment: IEnvironment, input: ApiKeyInput): Promise<void> {
  await runMutation<createApiKeyMutation>(environment, {
    mutation,
    variables: { input },
    repeats: true,
    outcome: (answer) => answer.createApiKey,
  })
}
