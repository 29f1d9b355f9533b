import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { Link } from 'react-router'
import type { RegisterQuery } from '../../__generated__/RegisterQuery.graphql.ts'
import { messages } from '../../lib/messages.ts'
import { AuthPage } from '../../ui/AuthPage.tsx'
import { RegisterForm } from './RegisterForm.tsx'

const words = messages.register

/** The form, with the invitation of the link that was opened; or why there is none. */
export function Register({ queryRef }: { queryRef: PreloadedQuery<RegisterQuery> }) {
  const { server } = usePreloadedQuery<RegisterQuery>(
    graphql`
      query RegisterQuery($invite: String!) {
        server {
          registration
          invitation(token: $invite) {
            email
          }
        }
      }
    `,
    queryRef,
  )
  const { invite } = queryRef.variables
  const { registration, invitation } = server
  const refusal = refusalOf(registration, invite !== '', invitation != null)
  const { title, intro } = refusal ?? { title: words.title, intro: invitation ? words.invited : words.intro }
  return (
    <AuthPage pageTitle={words.pageTitle} title={title} intro={intro}>
      {!refusal && <RegisterForm {...(invitation && { invite, invitedEmail: invitation.email ?? null })} />}
      <p className="muted mt-5">
        {words.haveAccount}{' '}
        <Link to="/login" className="link">
          {words.login}
        </Link>
      </p>
    </AuthPage>
  )
}

/** What stands there instead of the form; null when whoever came may register. */
function refusalOf(registration: string, hasInvite: boolean, isInvited: boolean) {
  if (registration === 'CLOSED') return { title: words.closedTitle, intro: words.closedText }
  if (registration !== 'INVITE' || isInvited) return null
  if (hasInvite) return { title: words.overTitle, intro: words.overText }
  return { title: words.inviteTitle, intro: words.inviteText }
}
