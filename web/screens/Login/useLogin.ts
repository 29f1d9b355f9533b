import { graphql, useMutation } from 'react-relay'
import { useLocation, useNavigate } from 'react-router'
import type { LoginInput, useLoginMutation } from '../../__generated__/useLoginMutation.graphql.ts'
import { returnPath } from '../../lib/returnPath.ts'
import { UnreachableError } from '../../relay/errors.ts'
import { rememberSignIn, takeViewer } from '../../relay/signedIn.ts'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

const fail = (description: string) => void toast.error(messages.failed, { description })

/** Signs in and navigates to the requested page; shows the error otherwise. */
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
            language
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
          const { language } = result.viewer
          // The page is in the language of this browser until now, and each language has its own build.
          if (language && language.toLowerCase() !== document.documentElement.lang) location.replace(returnPath(search))
          else void navigate(returnPath(search), { replace: true })
        } else if (result.__typename === 'TooManyRequestsError') fail(messages.tooMany(result.retryAfterSeconds))
        else fail(messages.failedText)
      },
      onError: (error) => fail(error instanceof UnreachableError ? messages.unreachable : messages.failedText),
    })
  }
  return { login, isBusy }
}
