import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { AccountScope, connectAccountMutation } from '../../__generated__/connectAccountMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'
import type { Grant } from './authorizeAccount.ts'

const mutation = graphql`
  mutation connectAccountMutation($input: ConnectAccountInput!) {
    connectAccount(input: $input) {
      __typename
      ... on ConnectAccountPayload {
        account {
          id
        }
        viewer {
          id
          accounts {
            id
            ...AccountCard_account
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

export type { AccountScope }

/** @returns the account's id @throws MutationRefused, Error */
export async function connectAccount(
  environment: IEnvironment,
  { provider, name, scope }: { readonly provider: string; readonly name: string; readonly scope: AccountScope },
  grant: Grant,
): Promise<string> {
  const answer = await runMutation<connectAccountMutation>(environment, {
    mutation,
    variables: { input: { provider, name, scope, ...grant } },
    outcome: (response) => response.connectAccount,
  })
  const id = answer.connectAccount.account?.id
  if (!id) throw new Error('The server did not return the new account.')
  return id
}
