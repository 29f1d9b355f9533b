import { Suspense, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { Account_viewer$key } from '../../__generated__/Account_viewer.graphql.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'
import styles from './Settings.module.css'

const NameDialog = lateDialog(() => import('./NameDialog.tsx').then((file) => file.NameDialog))
const PasswordDialog = lateDialog(() => import('./PasswordDialog.tsx').then((file) => file.PasswordDialog))

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
