import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { AuthPage } from '../../ui/AuthPage.tsx'
import buttonStyles from '../../ui/Button.module.css'
import { buttonClass } from '../../ui/Button.tsx'
import { messages } from './messages.ts'
import { ResetPasswordForm } from './ResetPasswordForm.tsx'
import { looksWhole } from './rules.ts'

/** What the link in the mail opens: a new password, or, when it is too late, the way to another link. */
export function ResetPassword() {
  const [query] = useSearchParams()
  const token = query.get('token') ?? ''
  const [refused, setRefused] = useState<string | null>(null)
  if (!looksWhole(token) || refused === token) return <InvalidToken />
  return (
    <AuthPage pageTitle={messages.pageTitle} title={messages.title} intro={messages.intro}>
      <ResetPasswordForm token={token} onRefused={() => setRefused(token)} />
    </AuthPage>
  )
}

const InvalidToken = () => (
  <AuthPage pageTitle={messages.pageTitle} title={messages.invalidTitle} intro={messages.invalidText}>
    <Link to="/forgot-password" className={buttonClass('primary', 'lg', buttonStyles.full)}>
      {messages.requestNew}
    </Link>
    <p className="muted mt-5">
      <Link to="/login" className="link">
        {messages.returnToLogin}
      </Link>
    </p>
  </AuthPage>
)
