import { graphql, useMutation } from 'react-relay'
import { useNavigate } from 'react-router'
import type { useLogoutMutation } from '../../__generated__/useLogoutMutation.graphql.ts'
import { leaveSession } from '../../features/Session/leaveSession.ts'
import { messages } from '../../lib/messages.ts'
import { toast } from '../../ui/toast.ts'

/** Ends the session, forgets all that was read, and goes to the login page. */
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
        toast.error(messages.sidebar.signOutFailed, { description: messages.sidebar.signOutFailedText })
      },
    })
  }
}
