import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { reconnectAccountMutation } from '../../__generated__/reconnectAccountMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'
import type { Grant } from './authorizeAccount.ts'

const mutation = graphql`
  mutation reconnectAccountMutation($input: ReconnectAccountInput!) {
    reconnectAccount(input: $input) {
      __typename
      ... on ReconnectAccountPayload {
        account {
          id
          ...AccountCard_account
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** The account keeps its id. @throws MutationRefused (another login, among others), Error */
export async function reconnectAccount(environment: IEnvironment, id: string, grant: Grant): Promise<void> {
  await runMutation<reconnectAccountMutation>(environment, {
    mutation,
    variables: { input: { id, ...grant } },
    outcome: (answer) => answer.reconnectAccount,
  })
}
