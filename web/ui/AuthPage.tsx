import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { sharedMessages } from '../lib/messages.ts'
import styles from './AuthPage.module.css'
import brandStyles from './Brand.module.css'
import { Logo } from './Logo.tsx'
import { PoolArt } from './PoolArt.tsx'
import { ThemeButton } from './ThemeButton.tsx'

type Props = { pageTitle: string; title: string; intro: ReactNode; children: ReactNode }

/** The frame of the sign-in pages: the form at the start, the pool bar being assembled at the end. */
export function AuthPage({ pageTitle, title, intro, children }: Props) {
  return (
    <div className={styles.auth}>
      <title>{pageTitle}</title>
      <main className={styles.authForm}>
        <div className="hstack -my-1.5">
          <Logo />
          <span className={`${brandStyles.brand} grow`}>{sharedMessages.common.product}</span>
          <ThemeButton />
        </div>
        <div className={styles.form}>
          <h1 className="h1">{title}</h1>
          <p className="muted text-body mt-1 mb-6">{intro}</p>
          {children}
        </div>
        <p className="meta subtle">
          <Link to="/privacy-policy">{sharedMessages.common.privacyPolicy}</Link>
        </p>
      </main>
      <PoolArt />
    </div>
  )
}
