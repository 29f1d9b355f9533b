import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { AuthPage } from '../../ui/AuthPage.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { ResetPasswordForm } from './ResetPasswordForm.tsx'
import { looksWhole } from './rules.ts'
import { words } from './words.ts'

/** What the link in the mail opens: a new password, or, when it is too late, the way to another link. */
export function ResetPassword() {
  const [query] = useSearchParams()
  const token = query.get('token') ?? ''
  const [refused, setRefused] = useState<string | null>(null)
  if (!looksWhole(token) || refused === token) return <InvalidToken />
  return (
    <AuthPage pageTitle={words.pageTitle} title={words.title} intro={words.intro}>
      <ResetPasswordForm token={token} onRefused={() => setRefused(token)} />
    </AuthPage>
  )
}

const InvalidToken = () => (
  <AuthPage pageTitle={words.pageTitle} title={words.invalidTitle} intro={words.invalidText}>
    <Link to="/forgot-password" className={buttonClass('primary', 'lg', 'full')}>
      {words.requestNew}
    </Link>
    <p className="muted mt-5">
      <Link to="/login" className="link">
        {words.returnToLogin}
      </Link>
    </p>
  </AuthPage>
)
