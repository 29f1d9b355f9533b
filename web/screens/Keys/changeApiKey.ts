import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { changeApiKeyRegenerateMutation } from '../../__generated__/changeApiKeyRegenerateMutation.graphql.ts'
import type { changeApiKeyRevokeMutation } from '../../__generated__/changeApiKeyRevokeMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

/** What is to be done to a key. */
export type KeyChange = { readonly kind: 'REGENERATE' | 'REVOKE'; readonly id: string; readonly name: string }

const regenerate = graphql`
  mutation changeApiKeyRegenerateMutation($input: RegenerateApiKeyInput!) {
    regenerateApiKey(input: $input) {
      __typename
      ... on RegenerateApiKeyPayload {
        apiKey {
          ...KeyCard_apiKey
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

const revoke = graphql`
  mutation changeApiKeyRevokeMutation($input: RevokeApiKeyInput!) {
    revokeApiKey(input: $input) {
      __typename
      ... on RevokeApiKeyPayload {
        apiKey {
          ...KeyCard_apiKey
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
export async function changeApiKey(environment: IEnvironment, { kind, id }: KeyChange): Promise<void> {
  const variables = { input: { id } }
  if (kind === 'REVOKE') {
    const outcome = (answer: changeApiKeyRevokeMutation['response']) => answer.revokeApiKey
    await runMutation<changeApiKeyRevokeMutation>(environment, { mutation: revoke, variables, outcome })
    return
  }
  const outcome = (answer: changeApiKeyRegenerateMutation['response']) => answer.regenerateApiKey
  await runMutation<changeApiKeyRegenerateMutation>(environment, { mutation: regenerate, variables, outcome })
}
