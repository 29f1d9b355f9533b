import { Suspense, useState } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { Link } from 'react-router'
import type { ForgotPasswordQuery } from '../../__generated__/ForgotPasswordQuery.graphql.ts'
import { AuthPage } from '../../ui/AuthPage.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { ForgotPasswordForm } from './ForgotPasswordForm.tsx'
import { LinkSent } from './LinkSent.tsx'
import { words } from './words.ts'

type Props = { queryRef: PreloadedQuery<ForgotPasswordQuery> }

/** Asks for the address, then says what comes next: the same for every address. */
export function ForgotPassword({ queryRef }: Props) {
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const noMail = (
    <Suspense>
      <NoMail queryRef={queryRef} />
    </Suspense>
  )
  if (isSent) {
    return (
      <AuthPage pageTitle={words.pageTitle} title={words.sentTitle} intro={<SentTo email={email} />}>
        {noMail}
        <LinkSent onAgain={() => setSent(false)} />
      </AuthPage>
    )
  }
  return (
    <AuthPage pageTitle={words.pageTitle} title={words.title} intro={words.intro}>
      {noMail}
      <ForgotPasswordForm email={email} onChange={setEmail} onSent={() => setSent(true)} />
      <p className="muted mt-5">
        {words.remembered}{' '}
        <Link to="/login" className="link">
          {words.login}
        </Link>
      </p>
    </AuthPage>
  )
}

const SentTo = ({ email }: { email: string }) => (
  <>
    {words.sentBefore}
    <strong className="strong">{email}</strong>
    {words.sentAfter}
  </>
)

function NoMail({ queryRef }: Props) {
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
  return server.mail ? null : (
    <div className="mb-5">
      <Notice>{words.noMail}</Notice>
    </div>
  )
}
