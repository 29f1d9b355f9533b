import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { accountIndexDeletionsMutation } from '../../__generated__/accountIndexDeletionsMutation.graphql.ts'
import type { accountIndexMutation, UpdateAccountInput } from '../../__generated__/accountIndexMutation.graphql.ts'
import type { accountIndexRefreshMutation } from '../../__generated__/accountIndexRefreshMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const shownMutation = graphql`
  mutation accountIndexMutation($input: UpdateAccountInput!) {
    updateAccount(input: $input) {
      __typename
      ... on UpdateAccountPayload {
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

type Shown = Pick<UpdateAccountInput, 'scope' | 'sharedWithMe' | 'drives'>

/** Changes what is shown of an account. @throws MutationRefused, Error */
export async function setShown(environment: IEnvironment, id: string, shown: Shown): Promise<void> {
  await runMutation<accountIndexMutation>(environment, {
    mutation: shownMutation,
    variables: { input: { id, ...shown } },
    outcome: (answer) => answer.updateAccount,
  })
}

const refreshMutation = graphql`
  mutation accountIndexRefreshMutation($input: RefreshAccountIndexInput!) {
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
  await runMutation<accountIndexRefreshMutation>(environment, {
    mutation: refreshMutation,
    variables: { input: { id } },
    outcome: (answer) => answer.refreshAccountIndex,
  })
}

const deletionsMutation = graphql`
  mutation accountIndexDeletionsMutation($input: DecideAccountDeletionsInput!) {
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
  await runMutation<accountIndexDeletionsMutation>(environment, {
    mutation: deletionsMutation,
    variables: { input: { id, accept } },
    outcome: (answer) => answer.decideAccountDeletions,
  })
}
