import { type FormEvent, useId, useState } from 'react'
import { Link } from 'react-router'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { TextField } from '../../ui/Input.tsx'
import styles from './Login.module.css'
import { messages } from './messages.ts'
import { useLogin } from './useLogin.ts'

/** The browser checks that both fields are filled and that the first looks like an email address. */
export function LoginForm() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [rememberMe, setRememberMe] = useState(false)
  const rememberId = useId()
  const { login, isBusy } = useLogin()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    login({ email, password, rememberMe })
  }
  return (
    <form onSubmit={submit}>
      <TextField
        label={messages.email}
        large
        type="email"
        name="email"
        autoComplete="username"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <div className={styles.fieldWithLink}>
        <TextField
          label={messages.password}
          large
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Link to="/forgot-password" className="link meta">
          {messages.forgot}
        </Link>
      </div>
      <label className="hstack mb-5 w-fit" htmlFor={rememberId}>
        <Checkbox id={rememberId} name="remember" checked={rememberMe} onChange={setRememberMe} />
        {messages.remember}
      </label>
      <Button type="submit" variant="primary" size="lg" block busy={isBusy}>
        {messages.submit}
      </Button>
    </form>
  )
}
