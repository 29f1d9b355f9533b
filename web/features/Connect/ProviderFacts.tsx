import { graphql, useFragment } from 'react-relay'
import type { ProviderFacts_provider$key } from '../../__generated__/ProviderFacts_provider.graphql.ts'
import styles from './Connect.module.css'
import { messages } from './messages.ts'

/** What a provider can do and what not, in sentences. */
export function ProviderFacts({ provider }: { provider: ProviderFacts_provider$key }) {
  const { capabilities, limits, poolUse, poolReason } = useFragment(
    graphql`
      fragment ProviderFacts_provider on Provider {
        capabilities
        limits
        poolUse
        poolReason
      }
    `,
    provider,
  )
  const pooled =
    poolUse === 'FULL' ? [] : [messages.poolUse[poolUse === 'NONE' ? 'NONE' : 'EXTRA_COPIES'], poolReason ?? '']
  const facts = [...capabilities, ...limits, pooled.join(' ').trim()].filter((fact) => fact !== '')
  if (facts.length === 0) return null
  return (
    <ul className={styles.facts} aria-label={messages.capabilities}>
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  )
}
