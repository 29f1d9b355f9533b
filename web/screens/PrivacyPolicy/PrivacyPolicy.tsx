import { Link } from 'react-router'
import { sharedMessages } from '../../lib/messages.ts'
import brandStyles from '../../ui/Brand.module.css'
import { Logo } from '../../ui/Logo.tsx'
import { ThemeButton } from '../../ui/ThemeButton.tsx'
import topBarStyles from '../../ui/TopBar.module.css'
import { EFFECTIVE, POLICY } from './policy.ts'

const { product, privacyPolicy } = sharedMessages.common

export function PrivacyPolicy() {
  return (
    <div className="min-h-dvh">
      <title>{`${privacyPolicy} · ${product}`}</title>
      <header className={topBarStyles.bar}>
        <Link to="/" className="hstack rounded-md">
          <Logo />
          <span className={brandStyles.brand}>{product}</span>
        </Link>
        <span className="ms-auto" />
        <ThemeButton />
      </header>
      <main className="max-w-[76ch] px-6 py-8 max-md:px-4 max-md:py-5">
        <h1 className="h1">{privacyPolicy}</h1>
        <p className="mt-1 mb-6 text-body text-fg-muted">Effective date: {EFFECTIVE}</p>
        {POLICY.map(({ title, paragraphs }) => (
          <section key={title} className="mb-6">
            <h2 className="h2 mb-1">{title}</h2>
            {paragraphs.map((paragraph) => (
              <p key={paragraph} className="mb-2 text-body text-fg-muted">
                {paragraph}
              </p>
            ))}
          </section>
        ))}
      </main>
    </div>
  )
}
