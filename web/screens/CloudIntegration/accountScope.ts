import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { accountScopeDeletionsMutation } from '../../__generated__/accountScopeDeletionsMutation.graphql.ts'
import type { AccountScope, accountScopeMutation } from '../../__generated__/accountScopeMutation.graphql.ts'
import type { accountScopeRefreshMutation } from '../../__generated__/accountScopeRefreshMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const scopeMutation = graphql`
  mutation accountScopeMutation($input: SetAccountScopeInput!) {
    setAccountScope(input: $input) {
      __typename
      ... on SetAccountScopePayload {
        account {
          ...AccountContents_account
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
export async function setAccountScope(environment: IEnvironment, id: string, scope: AccountScope): Promise<void> {
  await runMutation<accountScopeMutation>(environment, {
    mutation: scopeMutation,
    variables: { input: { id, scope } },
    outcome: (answer) => answer.setAccountScope,
  })
}

const refreshMutation = graphql`
  mutation accountScopeRefreshMutation($input: RefreshAccountIndexInput!) {
    refreshAccountIndex(input: $input) {
      __typename
      ... on RefreshAccountIndexPayload {
        account {
          ...AccountContents_account
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** Lists everything in an account again. @throws MutationRefused, Error */
export async function refreshAccountIndex(environment: IEnvironment, id: string): Promise<void> {
  await runMutation<accountScopeRefreshMutation>(environment, {
    mutation: refreshMutation,
    variables: { input: { id } },
    outcome: (answer) => answer.refreshAccountIndex,
  })
}

const deletionsMutation = graphql`
  mutation accountScopeDeletionsMutation($input: DecideAccountDeletionsInput!) {
    decideAccountDeletions(input: $input) {
      __typename
      ... on DecideAccountDeletionsPayload {
        account {
          ...AccountContents_account
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** `accept`: the held entries are gone; otherwise they stay and the account is listed again. @throws MutationRefused, Error */
export async function decideAccountDeletions(environment: IEnvironment, id: string, accept: boolean): Promise<void> {
  await runMutation<accountScopeDeletionsMutation>(environment, {
    mutation: deletionsMutation,
    variables: { input: { id, accept } },
    outcome: (answer) => answer.decideAccountDeletions,
  })
}
