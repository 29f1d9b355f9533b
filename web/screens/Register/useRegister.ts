import { graphql, useMutation } from 'react-relay'
import { useNavigate } from 'react-router'
import type { useRegisterMutation, useRegisterMutation$data } from '../../__generated__/useRegisterMutation.graphql.ts'
import { rememberSignIn, takeViewer } from '../../relay/signedIn.ts'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'
import type { RegisterErrors, RegisterValues } from './rules.ts'

type Result = useRegisterMutation$data['register']

/**
 * Creates the account, which signs in; the login page then sends the person on. Errors of fields go to `showErrors`.
 * `invite`: the token of an invitation.
 */
export function useRegister(showErrors: (errors: RegisterErrors) => void, invite?: string) {
  const navigate = useNavigate()
  const [commit, isBusy] = useMutation<useRegisterMutation>(graphql`
    mutation useRegisterMutation($input: RegisterInput!) {
      register(input: $input) {
        __typename
        ... on RegisterPayload {
          viewer {
            id
            ...Sidebar_viewer
          }
        }
        ... on InvalidInputError {
          fields {
            path
            message
          }
        }
        ... on ConflictError {
          message
        }
        ... on TooManyRequestsError {
          message
        }
        ... on RegistrationClosedError {
          message
        }
        ... on InvalidTokenError {
          message
        }
      }
    }
  `)
  const fail = (description: string = messages.failedText) => void toast.error(messages.failed, { description })
  const complete = (result: Result) => {
    if (result.__typename === 'RegisterPayload') {
      rememberSignIn(result.viewer.id)
      toast.success(messages.done, { description: messages.doneText })
      void navigate('/login')
      return
    }
    const isClosed = result.__typename === 'RegistrationClosedError' || result.__typename === 'InvalidTokenError'
    fail(isClosed ? result.message : messages.failedText)
    showErrors(fieldErrors(result))
  }
  const register = ({ fullName, email, password }: RegisterValues) => {
    commit({
      variables: { input: { fullName, email, password, ...(invite !== undefined && { invitation: invite }) } },
      updater: (store) => takeViewer(store, 'register'),
      onCompleted: (answer) => complete(answer.register),
      onError: () => fail(),
    })
  }
  return { register, isBusy }
}

/** What the server said about single fields; an address that cannot be used belongs to the email field. */
function fieldErrors(result: Result): RegisterErrors {
  if (result.__typename === 'ConflictError') return { email: result.message }
  if (result.__typename !== 'InvalidInputError') return {}
  const known: readonly string[] = ['fullName', 'email', 'password'] satisfies (keyof RegisterValues)[]
  return Object.fromEntries(result.fields.filter(({ path }) => known.includes(path)).map((f) => [f.path, f.message]))
}
