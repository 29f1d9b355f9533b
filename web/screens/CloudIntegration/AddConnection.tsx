import { ShieldCheck } from 'lucide-react'
import type { ProviderRows_provider$key } from '../../__generated__/ProviderRows_provider.graphql.ts'
import { type ProviderChoice, ProviderRows } from '../../features/Connect/ProviderRows.tsx'
import cardStyles from '../../ui/Card.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { messages } from './messages.ts'

type Props = { providers: ProviderRows_provider$key; onChoose: (provider: ProviderChoice) => void }

/** Every provider, and the security of connections. */
export function AddConnection({ providers, onChoose }: Props) {
  return (
    <div className="mt-6 grid gap-4">
      <section className={cardStyles.card}>
        <div className={cardStyles.padded}>
          <ProviderRows providers={providers} onChoose={onChoose} />
        </div>
      </section>
      <section className={cardStyles.card} aria-labelledby="security">
        <div className={cardStyles.padded}>
          <h2 className="h2 hstack" id="security">
            <Icon icon={ShieldCheck} className="subtle" />
            {messages.securityTitle}
          </h2>
          <dl className="mt-4 grid gap-4 md:grid-cols-3">
            {messages.security.map(([title, text]) => (
              <div key={title}>
                <dt className="strong">{title}</dt>
                <dd className="muted mt-1">{text}</dd>
              </div>
            ))}
          </dl>
        </div>
      </section>
    </div>
  )
}
