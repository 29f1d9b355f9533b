import { graphql, useMutation } from 'react-relay'
import { useNavigate } from 'react-router'
import type {
  useResetPasswordMutation,
  useResetPasswordMutation$data,
} from '../../__generated__/useResetPasswordMutation.graphql.ts'
import { leaveSession } from '../../features/Session/leaveSession.ts'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'
import type { ResetErrors } from './rules.ts'

type Result = useResetPasswordMutation$data['resetPassword']
type Reactions = { showErrors: (errors: ResetErrors) => void; onRefused: () => void }

/** Sets the password and goes to the login page. A user who was signed in here is signed out. */
export function useResetPassword({ showErrors, onRefused }: Reactions) {
  const navigate = useNavigate()
  const [commit, isBusy] = useMutation<useResetPasswordMutation>(graphql`
    mutation useResetPasswordMutation($input: ResetPasswordInput!) {
      resetPassword(input: $input) {
        __typename
        ... on ResetPasswordPayload {
          ok
        }
        ... on InvalidTokenError {
          code
        }
        ... on InvalidInputError {
          fields {
            path
            message
          }
        }
        ... on TooManyRequestsError {
          message
        }
      }
    }
  `)
  const fail = (description = messages.failedText) => void toast.error(messages.failed, { description })
  const complete = (result: Result) => {
    if (result.__typename === 'ResetPasswordPayload') {
      leaveSession()
      toast.success(messages.done, { description: messages.doneText })
      void navigate('/login', { replace: true })
      return
    }
    fail(result.__typename === 'TooManyRequestsError' ? result.message : messages.failedText)
    if (result.__typename === 'InvalidTokenError') onRefused()
    if (result.__typename !== 'InvalidInputError') return
    showErrors({ password: result.fields.find(({ path }) => path === 'password')?.message })
  }
  const reset = (token: string, password: string) => {
    commit({
      variables: { input: { token, password } },
      onCompleted: ({ resetPassword: result }) => complete(result),
      onError: () => fail(),
    })
  }
  return { reset, isBusy }
}
