import { graphql, useMutation } from 'react-relay'
import { useLocation, useNavigate } from 'react-router'
import type { LoginInput, useLoginMutation } from '../../__generated__/useLoginMutation.graphql.ts'
import { messages } from '../../lib/messages.ts'
import { returnPath } from '../../lib/returnPath.ts'
import { UnreachableError } from '../../relay/errors.ts'
import { rememberSignIn, takeViewer } from '../../relay/signedIn.ts'
import { toast } from '../../ui/toast.ts'

const words = messages.login

const fail = (description: string) => void toast.error(words.failed, { description })

/** Signs in and goes to where the person wanted to be; says why not otherwise. */
export function useLogin() {
  const navigate = useNavigate()
  const { search } = useLocation()
  const [commit, isBusy] = useMutation<useLoginMutation>(graphql`
    mutation useLoginMutation($input: LoginInput!) {
      login(input: $input) {
        __typename
        ... on LoginPayload {
          viewer {
            id
            ...Sidebar_viewer
          }
        }
        ... on TooManyRequestsError {
          retryAfterSeconds
        }
      }
    }
  `)
  const login = (input: LoginInput) => {
    commit({
      variables: { input },
      updater: (store) => takeViewer(store, 'login'),
      onCompleted: ({ login: result }) => {
        if (result.__typename === 'LoginPayload') {
          rememberSignIn(result.viewer.id)
          void navigate(returnPath(search), { replace: true })
        } else if (result.__typename === 'TooManyRequestsError') fail(words.tooMany(result.retryAfterSeconds))
        else fail(words.failedText)
      },
      onError: (error) => fail(error instanceof UnreachableError ? words.unreachable : words.failedText),
    })
  }
  return { login, isBusy }
}
