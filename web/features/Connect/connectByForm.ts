import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { connectByFormMutation } from '../../__generated__/connectByFormMutation.graphql.ts'
import type { connectByFormReconnectMutation } from '../../__generated__/connectByFormReconnectMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'
import type { AccountScope } from './connectAccount.ts'

/** The entered values, by the names of the provider's fields. */
export type FieldValues = Readonly<Record<string, string>>

const connect = graphql`
  mutation connectByFormMutation($input: ConnectAccountByFormInput!) {
    connectAccountByForm(input: $input) {
      __typename
      ... on ConnectAccountByFormPayload {
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
      ... on InvalidInputError {
        fields {
          path
          message
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

const reconnect = graphql`
  mutation connectByFormReconnectMutation($input: ReconnectAccountByFormInput!) {
    reconnectAccountByForm(input: $input) {
      __typename
      ... on ReconnectAccountByFormPayload {
        account {
          id
          ...AccountCard_account
        }
      }
      ... on InvalidInputError {
        fields {
          path
          message
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** @returns the account's id @throws MutationRefused, whose fields are `name` and `fields.<name>`, Error */
export async function connectByForm(
  environment: IEnvironment,
  provider: string,
  { name, values, scope }: { name: string; values: FieldValues; scope: AccountScope },
): Promise<string> {
  const answer = await runMutation<connectByFormMutation>(environment, {
    mutation: connect,
    variables: { input: { provider, name, fields: listed(values), scope } },
    outcome: (response) => response.connectAccountByForm,
  })
  const id = answer.connectAccountByForm.account?.id
  if (!id) throw new Error('The server did not return the new account.')
  return id
}

/** The account keeps its id. @throws as connectByForm */
export async function reconnectByForm(environment: IEnvironment, id: string, values: FieldValues): Promise<void> {
  await runMutation<connectByFormReconnectMutation>(environment, {
    mutation: reconnect,
    variables: { input: { id, fields: listed(values) } },
    outcome: (response) => response.reconnectAccountByForm,
  })
}

/** As the API takes them. */
export function listed(values: FieldValues): { name: string; value: string }[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }))
}
