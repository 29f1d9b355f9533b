import { Link } from 'react-router'
import { messages } from '../../lib/messages.ts'
import { AuthPage } from '../../ui/AuthPage.tsx'
import { RegisterForm } from './RegisterForm.tsx'

export function Register() {
  const { pageTitle, title, intro, haveAccount, login } = messages.register
  return (
    <AuthPage pageTitle={pageTitle} title={title} intro={intro}>
      <RegisterForm />
      <p className="muted mt-5">
        {haveAccount}{' '}
        <Link to="/login" className="link">
          {login}
        </Link>
      </p>
    </AuthPage>
  )
}
