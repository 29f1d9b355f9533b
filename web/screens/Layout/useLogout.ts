import { graphql, useMutation } from 'react-relay'
import { useNavigate } from 'react-router'
import type { useLogoutMutation } from '../../__generated__/useLogoutMutation.graphql.ts'
import { leaveSession } from '../../features/Session/leaveSession.ts'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

/** Ends the session, discards all cached data, and navigates to the login page. */
export function useLogout(): () => void {
  const navigate = useNavigate()
  const [commit] = useMutation<useLogoutMutation>(graphql`
    mutation useLogoutMutation {
      logout(input: {}) {
        loggedOut
      }
    }
  `)
  return () => {
    commit({
      variables: {},
      onCompleted: () => {
        leaveSession()
        void navigate('/login')
      },
      onError: () => {
        toast.error(messages.signOutFailed, { description: messages.signOutFailedText })
      },
    })
  }
}
