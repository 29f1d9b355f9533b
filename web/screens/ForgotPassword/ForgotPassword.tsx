import { useState } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { Link } from 'react-router'
import type { ForgotPasswordQuery } from '../../__generated__/ForgotPasswordQuery.graphql.ts'
import { AuthPage } from '../../ui/AuthPage.tsx'
import { ForgotPasswordForm } from './ForgotPasswordForm.tsx'
import { LinkSent } from './LinkSent.tsx'
import { messages } from './messages.ts'

type Props = { queryRef: PreloadedQuery<ForgotPasswordQuery> }

/**
 * Asks for the address, then says what comes next: the same for every address. Where no mail is sent, an administrator
 * passes the link on.
 */
export function ForgotPassword({ queryRef }: Props) {
  const { server } = usePreloadedQuery<ForgotPasswordQuery>(
    graphql`
      query ForgotPasswordQuery {
        server {
          mail
        }
      }
    `,
    queryRef,
  )
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const way = server.mail ? messages.byMail : messages.byAdministrator
  if (isSent) {
    return (
      <AuthPage
        pageTitle={messages.pageTitle}
        title={way.sentTitle}
        intro={<SentTo email={email} isMailed={server.mail} />}
      >
        <LinkSent isMailed={server.mail} onAgain={() => setSent(false)} />
      </AuthPage>
    )
  }
  return (
    <AuthPage pageTitle={messages.pageTitle} title={messages.title} intro={way.intro}>
      <ForgotPasswordForm email={email} submit={way.submit} onChange={setEmail} onSent={() => setSent(true)} />
      <p className="muted mt-5">
        {messages.remembered}{' '}
        <Link to="/login" className="link">
          {messages.login}
        </Link>
      </p>
    </AuthPage>
  )
}

const SentTo = ({ email, isMailed }: { email: string; isMailed: boolean }) => (
  <>
    If there is an account for <strong className="strong">{email}</strong>
    {isMailed
      ? ', a link to choose a new password is on its way. The link expires in 24 hours.'
      : ', a link to choose a new password is now on the server. Mail is not set up on this server, so ask the administrator for the link: it is in the newest file of the mail folder. It expires in 24 hours.'}
  </>
)
