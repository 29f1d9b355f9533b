import { lazy, Suspense, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { Account_viewer$key } from '../../__generated__/Account_viewer.graphql.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'
import styles from './Settings.module.css'

const NameDialog = lazy(async () => ({ default: (await import('./NameDialog.tsx')).NameDialog }))
const PasswordDialog = lazy(async () => ({ default: (await import('./PasswordDialog.tsx')).PasswordDialog }))

const { account } = messages

/** The signed-in user: name and password. */
export function Account({ viewer }: { viewer: Account_viewer$key }) {
  const { fullName, email, avatarUrl } = useFragment(
    graphql`
      fragment Account_viewer on User {
        fullName
        email
        avatarUrl
      }
    `,
    viewer,
  )
  const [open, setOpen] = useState<'name' | 'password' | null>(null)
  const close = () => setOpen(null)
  return (
    <Section title={account.title} text={account.text}>
      <div className={styles.row}>
        <Avatar name={fullName} src={avatarUrl} />
        <div className="grow">
          <p className="strong wrap-anywhere">{fullName}</p>
          <p className="muted wrap-anywhere">{email}</p>
        </div>
        <Button onClick={() => setOpen('name')}>{account.changeName}</Button>
      </div>
      <div className={styles.row}>
        <div className="grow">
          <p className="strong">{account.password}</p>
          <p className="muted">{account.passwordText}</p>
        </div>
        <Button onClick={() => setOpen('password')}>{account.changePassword}</Button>
      </div>
      <Suspense fallback={null}>
        {open === 'name' && <NameDialog fullName={fullName} onClose={close} />}
        {open === 'password' && <PasswordDialog onClose={close} />}
      </Suspense>
    </Section>
  )
}
