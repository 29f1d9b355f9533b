import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { Link } from 'react-router'
import type { RegisterQuery } from '../../__generated__/RegisterQuery.graphql.ts'
import { AuthPage } from '../../ui/AuthPage.tsx'
import { messages } from './messages.ts'
import { RegisterForm } from './RegisterForm.tsx'

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
  const { title, intro } = refusal ?? { title: messages.title, intro: invitation ? messages.invited : messages.intro }
  return (
    <AuthPage pageTitle={messages.pageTitle} title={title} intro={intro}>
      {!refusal && <RegisterForm {...(invitation && { invite, invitedEmail: invitation.email ?? null })} />}
      <p className="muted mt-5">
        {messages.haveAccount}{' '}
        <Link to="/login" className="link">
          {messages.login}
        </Link>
      </p>
    </AuthPage>
  )
}

/** Shown instead of the form; null when the visitor may register. */
function refusalOf(registration: string, hasInvite: boolean, isInvited: boolean) {
  if (registration === 'CLOSED') return { title: messages.closedTitle, intro: messages.closedText }
  if (registration !== 'INVITE' || isInvited) return null
  if (hasInvite) return { title: messages.overTitle, intro: messages.overText }
  return { title: messages.inviteTitle, intro: messages.inviteText }
}
