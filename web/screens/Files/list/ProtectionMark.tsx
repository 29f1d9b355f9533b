import { CircleDashed, ShieldCheck, TriangleAlert } from 'lucide-react'
import { cx } from '../../../lib/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './List.module.css'

/** What is not copied, because it has no bytes, has no mark. */
const LOOKS = {
  PROTECTED: { text: 'Protected', tone: 'subtle', icon: ShieldCheck },
  CATCHING_UP: { text: 'Catching up', tone: 't-accent', icon: CircleDashed },
  AT_RISK: { text: 'Protection at risk', tone: 't-warning', icon: TriangleAlert },
} as const

type Props = { readonly state: string; readonly reason: string | null | undefined }

/** How an entry of an account is protected. Import it lazily: few lists have one. */
export function ProtectionMark({ state, reason }: Props) {
  const look = state in LOOKS ? LOOKS[state as keyof typeof LOOKS] : null
  if (!look) return null
  return (
    <span className={cx(styles.st, look.tone)} role="img" aria-label={look.text} title={reason ?? look.text}>
      <Icon icon={look.icon} size={14} />
    </span>
  )
}
