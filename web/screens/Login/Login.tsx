import { Suspense } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { Link, Navigate, useLocation } from 'react-router'
import type { LoginQuery } from '../../__generated__/LoginQuery.graphql.ts'
import { messages } from '../../lib/messages.ts'
import { returnPath } from '../../lib/returnPath.ts'
import { AuthPage } from '../../ui/AuthPage.tsx'
import { LoginForm } from './LoginForm.tsx'

type Props = { queryRef: PreloadedQuery<LoginQuery> }

/** The form is there at once; whoever turns out to be signed in is sent on. */
export function Login({ queryRef }: Props) {
  const { pageTitle, title, intro, noAccount, register } = messages.login
  return (
    <AuthPage pageTitle={pageTitle} title={title} intro={intro}>
      <Suspense>
        <SignedInGoesOn queryRef={queryRef} />
      </Suspense>
      <LoginForm />
      <p className="muted mt-5">
        {noAccount}{' '}
        <Link to="/register" className="link">
          {register}
        </Link>
      </p>
    </AuthPage>
  )
}

function SignedInGoesOn({ queryRef }: Props) {
  const { search } = useLocation()
  const { viewer } = usePreloadedQuery<LoginQuery>(
    graphql`
      query LoginQuery {
        viewer {
          id
        }
      }
    `,
    queryRef,
  )
  return viewer ? <Navigate to={returnPath(search)} replace /> : null
}
