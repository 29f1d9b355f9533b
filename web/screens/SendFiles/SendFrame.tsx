import { Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { formatRelative } from '../../lib/formatDate.ts'
import { sharedMessages } from '../../lib/messages.ts'
import brandStyles from '../../ui/Brand.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { ThemeButton } from '../../ui/ThemeButton.tsx'
import { messages } from './messages.ts'
import styles from './SendFiles.module.css'

type Props = {
  readonly pageTitle: string
  /** When the link ends. */
  readonly expiresAt?: string | null
  /** Nothing else on the page is its heading. */
  readonly isBrandHeading?: boolean
  /** In the middle of the page instead of a card. */
  readonly isPlain?: boolean
  /** Under the card. */
  readonly note?: string
  readonly children: ReactNode
}

/** Bar, card and foot of every state of the page. */
export function SendFrame({ pageTitle, expiresAt, isBrandHeading = false, isPlain = false, note, children }: Props) {
  const Brand = isBrandHeading ? 'h1' : 'span'
  return (
    <div className={styles.page}>
      <title>{pageTitle}</title>
      <header className={styles.top}>
        <Logo />
        <Brand className={brandStyles.brand}>{sharedMessages.common.product}</Brand>
        <span className="grow" />
        <ThemeButton />
      </header>
      <main className={isPlain ? styles.plain : styles.main}>
        {isPlain ? children : <div className={styles.card}>{children}</div>}
        {note && <p className={`meta subtle ${styles.note}`}>{note}</p>}
      </main>
      <footer className={styles.foot}>
        {expiresAt && (
          <span className="hstack num gap-1.5">
            <Icon icon={Clock} size={14} />
            {messages.expires(formatRelative(expiresAt))}
          </span>
        )}
        <span className="grow only-d" />
        <Link to="/privacy-policy">{sharedMessages.common.privacyPolicy}</Link>
      </footer>
    </div>
  )
}
