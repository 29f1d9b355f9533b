import { ShieldCheck } from 'lucide-react'
import type { ProviderRows_provider$key } from '../../__generated__/ProviderRows_provider.graphql.ts'
import { type ProviderChoice, ProviderRows } from '../../features/Connect/ProviderRows.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { words } from './words.ts'

type Props = { providers: ProviderRows_provider$key; onChoose: (provider: ProviderChoice) => void }

/** Every provider, and what connecting means for one's security. */
export function AddConnection({ providers, onChoose }: Props) {
  return (
    <div className="mt-6 grid gap-4">
      <section className="card">
        <div className="c-pad">
          <ProviderRows providers={providers} onChoose={onChoose} />
        </div>
      </section>
      <section className="card" aria-labelledby="security">
        <div className="c-pad">
          <h2 className="h2 hstack" id="security">
            <Icon icon={ShieldCheck} className="subtle" />
            {words.securityTitle}
          </h2>
          <dl className="mt-4 grid gap-4 md:grid-cols-3">
            {words.security.map(([title, text]) => (
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
