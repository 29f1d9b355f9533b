import { Check } from 'lucide-react'
import { cx } from '../../lib/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import radioStyles from '../../ui/Radio.module.css'
import styles from './Connect.module.css'
import type { AccountScope } from './connectAccount.ts'
import { messages } from './messages.ts'

type ScopeProps = {
  scope: AccountScope
  canShowEverything: boolean
  disabled: boolean
  onChange: (scope: AccountScope) => void
  /** Explains what showing everything does. EXTRA_ROOTS: also that what others share can be chosen later. */
  ticks: 'NONE' | 'OWN_TREE' | 'EXTRA_ROOTS'
}

/** What is shown of the account. Where the access that is asked for does not allow more, only the second card exists. */
export function ScopeChoice({ scope, canShowEverything, disabled, onChange, ticks }: ScopeProps) {
  const choices = canShowEverything ? (['EVERYTHING', 'OWN'] as const) : (['OWN'] as const)
  return (
    <fieldset className="mt-5">
      <legend className="label mb-2">{messages.scope.question}</legend>
      {choices.map((choice) => (
        <label key={choice} className={cx(styles.choice, choice === scope && styles.chosen)}>
          <input
            type="radio"
            className={radioStyles.radio}
            name="scope"
            checked={choice === scope}
            disabled={disabled}
            onChange={() => onChange(choice)}
          />
          <b>{messages.scope[choice].title}</b>
          <span className="muted">{messages.scope[choice].text}</span>
          {choice === 'EVERYTHING' && ticks !== 'NONE' && (
            <span className={styles.ticks}>
              {[...messages.scope.ticks, ...(ticks === 'EXTRA_ROOTS' ? [messages.scope.extraRoots] : [])].map(
                (tick) => (
                  <span key={tick} className="hstack items-start">
                    <Icon icon={Check} size={12} className={styles.tick} />
                    {tick}
                  </span>
                ),
              )}
            </span>
          )}
        </label>
      ))}
      {!canShowEverything && <p className="meta subtle mt-2">{messages.scope.onlyOwn}</p>}
    </fieldset>
  )
}
