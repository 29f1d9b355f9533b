import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { disconnectAccountMutation } from '../../__generated__/disconnectAccountMutation.graphql.ts'
import { runMutation, unlessGone } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation disconnectAccountMutation($input: DisconnectAccountInput!) {
    disconnectAccount(input: $input) {
      __typename
      ... on DisconnectAccountPayload {
        viewer {
          id
          accounts {
            id
          }
          ...PoolSummary_viewer
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** `force`: although files would be lost. `keepProtected`: copies of its files become ordinary files. @throws MutationRefused, Error */
export async function disconnectAccount(
  environment: IEnvironment,
  id: string,
  { force, keepProtected }: { readonly force: boolean; readonly keepProtected: boolean },
): Promise<void> {
  await unlessGone(
    runMutation<disconnectAccountMutation>(environment, {
      mutation,
      variables: { input: { id, force, keepProtected } },
      repeats: true,
      outcome: (answer) => answer.disconnectAccount,
    }),
  )
}
