import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { authorizeAccountMutation } from '../../__generated__/authorizeAccountMutation.graphql.ts'
import { openAuthorizationPopup } from '../../lib/authorizationPopup.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation authorizeAccountMutation($input: AuthorizeAccountInput!) {
    authorizeAccount(input: $input) {
      __typename
      ... on AuthorizeAccountPayload {
        state
        authorizationUrl
      }
      ... on Error {
        code
        message
      }
    }
  }
`

export type Grant = { readonly code: string; readonly state: string }

/**
 * Lets a person allow access at the provider, in a separate window. Call it in the click itself: otherwise browsers
 * block the window. @throws AuthorizationError, MutationRefused, Error when the server cannot be reached, the signal's
 * reason
 */
export async function authorizeAccount(
  environment: IEnvironment,
  input: { provider: string; accountId?: string },
  signal: AbortSignal,
): Promise<Grant> {
  const popup = openAuthorizationPopup()
  try {
    const response = await runMutation<authorizeAccountMutation>(environment, {
      mutation,
      variables: { input },
      outcome: (answer) => answer.authorizeAccount,
    })
    signal.throwIfAborted()
    const { authorizationUrl, state } = response.authorizeAccount
    if (!authorizationUrl || !state) throw new Error('The server returned no address.')
    return { code: await popup.authorize(authorizationUrl, state, signal), state }
  } finally {
    popup.close()
  }
}
