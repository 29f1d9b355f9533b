import { graphql, useMutation } from 'react-relay'
import type { useForgotPasswordMutation } from '../../__generated__/useForgotPasswordMutation.graphql.ts'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

const fail = (description: string) => void toast.error(messages.failed, { description })

/** Asks for a link to reset the password of an address. */
export function useForgotPassword(onSent: () => void) {
  const [commit, isBusy] = useMutation<useForgotPasswordMutation>(graphql`
    mutation useForgotPasswordMutation($input: ForgotPasswordInput!) {
      forgotPassword(input: $input) {
        __typename
        ... on ForgotPasswordPayload {
          ok
        }
        ... on InvalidInputError {
          message
        }
        ... on TooManyRequestsError {
          retryAfterSeconds
        }
      }
    }
  `)
  const send = (email: string) => {
    commit({
      variables: { input: { email } },
      onCompleted: ({ forgotPassword: result }) => {
        if (result.__typename === 'ForgotPasswordPayload') onSent()
        else if (result.__typename === 'TooManyRequestsError') fail(messages.tooMany(result.retryAfterSeconds))
        else fail(result.__typename === 'InvalidInputError' ? result.message : messages.failedText)
      },
      onError: () => fail(messages.failedText),
    })
  }
  return { send, isBusy }
}
