import { graphql, useFragment } from 'react-relay'
import type {
  ProviderRows_provider$data,
  ProviderRows_provider$key,
} from '../../__generated__/ProviderRows_provider.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import styles from './Connect.module.css'
import { messages } from './messages.ts'

export type ProviderChoice = ProviderRows_provider$data[number]

type Props = {
  providers: ProviderRows_provider$key
  onChoose: (provider: ProviderChoice) => void
}

/** The providers of the catalogue, in its order. */
export function useProviderChoices(providers: ProviderRows_provider$key): readonly ProviderChoice[] {
  return useFragment(
    graphql`
      fragment ProviderRows_provider on Provider @relay(plural: true) {
        id
        name
        description
        popular
        hue
        glyph
        availability
        access
        canShowEverything
        hasExtraRoots
        poolUse
        connectsBy
        connectSteps
        signInHints
        ...SignInForm_provider
        ...ProviderFacts_provider
      }
    `,
    providers,
  )
}

/**
 * All providers of the catalogue, the popular ones first. Providers that cannot be connected are marked; choosing one
 * shows the reason.
 */
export function ProviderRows({ providers, onChoose }: Props) {
  const all = useProviderChoices(providers)
  const rows = (popular: boolean) =>
    all
      .filter((provider) => provider.popular === popular)
      .map((provider) => <Row key={provider.id} provider={provider} onChoose={onChoose} />)
  return (
    <>
      <h3 className="h-micro mb-1">{messages.popular}</h3>
      <div className={styles.providers}>{rows(true)}</div>
      <h3 className="h-micro mt-4 mb-1">{messages.all}</h3>
      <div className={styles.providers}>{rows(false)}</div>
    </>
  )
}

type RowProps = { provider: ProviderChoice; onChoose: Props['onChoose'] }

function Row({ provider, onChoose }: RowProps) {
  const { hue, glyph, name, description, availability } = provider
  return (
    <button
      type="button"
      className={cx(styles.provider, availability !== 'READY' && styles.faint)}
      onClick={() => onChoose(provider)}
    >
      <AccountMark glyph={glyph} hue={hue} size={32} />
      <span className="grow min-w-0">
        <b className="ell">{name}</b>
        <span className="ell meta subtle block">{noteOf(availability) ?? description}</span>
      </span>
    </button>
  )
}

function noteOf(availability: ProviderChoice['availability']): string | null {
  if (availability === 'NOT_CONFIGURED') return messages.notConfigured
  return availability === 'UNAVAILABLE' ? messages.unavailable : null
}
