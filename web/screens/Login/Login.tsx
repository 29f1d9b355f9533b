import { Suspense } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { Link, Navigate, useLocation } from 'react-router'
import type { LoginQuery } from '../../__generated__/LoginQuery.graphql.ts'
import { hasSessionEnded, returnPath } from '../../lib/returnPath.ts'
import { AuthPage } from '../../ui/AuthPage.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { LoginForm } from './LoginForm.tsx'
import { messages } from './messages.ts'

type Props = { queryRef: PreloadedQuery<LoginQuery> }

/** The form is shown immediately; a user who is already signed in is redirected. */
export function Login({ queryRef }: Props) {
  const { pageTitle, title, intro, signedOut } = messages
  const isSignedOut = hasSessionEnded(useLocation())
  return (
    <AuthPage pageTitle={pageTitle} title={title} intro={intro}>
      <Suspense>
        <SignedInGoesOn queryRef={queryRef} />
      </Suspense>
      {isSignedOut && (
        <div className="mb-6" role="status">
          <Notice>{signedOut}</Notice>
        </div>
      )}
      <LoginForm />
      <Suspense fallback={<NoAccount registration="OPEN" />}>
        <NoAccountHere queryRef={queryRef} />
      </Suspense>
    </AuthPage>
  )
}

const query = graphql`
  query LoginQuery {
    viewer {
      id
    }
    server {
      registration
    }
  }
`

function SignedInGoesOn({ queryRef }: Props) {
  const { search } = useLocation()
  const { viewer } = usePreloadedQuery<LoginQuery>(query, queryRef)
  return viewer ? <Navigate to={returnPath(search)} replace /> : null
}

function NoAccountHere({ queryRef }: Props) {
  return <NoAccount registration={usePreloadedQuery<LoginQuery>(query, queryRef).server.registration} />
}

/** How to get an account on this server. */
function NoAccount({ registration }: Pick<LoginQuery['response']['server'], 'registration'>) {
  const { noAccount, register, byInvitation, closed } = messages
  if (registration === 'CLOSED') return <p className="muted mt-5">{closed}</p>
  if (registration === 'INVITE') return <p className="muted mt-5">{`${noAccount} ${byInvitation}`}</p>
  return (
    <p className="muted mt-5">
      {noAccount}{' '}
      <Link to="/register" className="link">
        {register}
      </Link>
    </p>
  )
}
