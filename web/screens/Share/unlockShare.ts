import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { unlockShareMutation } from '../../__generated__/unlockShareMutation.graphql.ts'
import { MutationRefused, runMutation } from '../../relay/runMutation.ts'
import { messages } from './messages.ts'

const mutation = graphql`
  mutation unlockShareMutation($input: UnlockShareInput!) {
    unlockShare(input: $input) {
      __typename
      ... on UnlockSharePayload {
        share {
          id
          needsPassword
          kind
          available
          name
          ...SharedFile_share
          ...SharedFolder_share
        }
      }
      ... on Error {
        code
        message
      }
      ... on TooManyRequestsError {
        retryAfterSeconds
      }
    }
  }
`

export type UnlockFailure = { readonly text: string; readonly isEnded: boolean }

/** Shows the password; the answer fills the page. @returns null when it was right */
export async function unlockShare(
  environment: IEnvironment,
  id: string,
  password: string,
): Promise<UnlockFailure | null> {
  let retryAfter = 0
  try {
    await runMutation<unlockShareMutation>(environment, {
      mutation,
      variables: { input: { id, password } },
      outcome: ({ unlockShare: outcome }) => {
        if (outcome.__typename === 'TooManyRequestsError') retryAfter = outcome.retryAfterSeconds ?? 0
        return outcome
      },
    })
    return null
  } catch (error) {
    return {
      text: wordsFor(error, retryAfter),
      isEnded: error instanceof MutationRefused && error.code === 'NOT_FOUND',
    }
  }
}

function wordsFor(error: unknown, retryAfter: number): string {
  if (!(error instanceof MutationRefused)) return messages.unlockFailed
  if (error.code === 'TOO_MANY_REQUESTS') return messages.tooManyGuesses(retryAfter)
  return messages.wrongPassword
}
