import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { sharedMessages } from '../lib/messages.ts'
import { IconButton } from './IconButton.tsx'
import { Input } from './Input.tsx'
import styles from './PasswordInput.module.css'

type Props = Omit<ComponentProps<typeof Input>, 'type'>

/** A password, hidden until its reader asks to see it. */
export function PasswordInput(props: Props) {
  const [isShown, setShown] = useState(false)
  const { showPassword, hidePassword } = sharedMessages.common
  return (
    <span className={styles.password}>
      <Input {...props} type={isShown ? 'text' : 'password'} spellCheck={false} autoCapitalize="none" />
      <IconButton
        size="sm"
        label={isShown ? hidePassword : showPassword}
        icon={isShown ? EyeOff : Eye}
        disabled={props.disabled}
        onClick={() => setShown(!isShown)}
      />
    </span>
  )
}
