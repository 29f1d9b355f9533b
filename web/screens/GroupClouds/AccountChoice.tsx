import { useId } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { AccountChoice_viewer$key } from '../../__generated__/AccountChoice_viewer.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import cardStyles from '../../ui/Card.module.css'
import { Checkbox } from '../../ui/Checkbox.tsx'
import inputStyles from '../../ui/Input.module.css'
import { FieldError } from '../../ui/Input.tsx'
import styles from './GroupClouds.module.css'
import { messages } from './messages.ts'
import { freeBytes } from './PoolCapacity.tsx'

type Props = {
  viewer: AccountChoice_viewer$key
  chosen: readonly string[]
  error: string | undefined
  onChange: (ids: string[]) => void
}

/** The accounts of a group cloud; a new one is added at the end of its order. */
export function AccountChoice({ viewer, chosen, error, onChange }: Props) {
  const { accounts } = useFragment(
    graphql`
      fragment AccountChoice_viewer on User {
        accounts {
          id
          name
          glyph
          hue
          status
          poolUse
          poolReason
          quota {
            usedBytes
            reservedBytes
            totalBytes
            state
          }
        }
      }
    `,
    viewer,
  )
  const note = useId()
  const toggle = (id: string, on: boolean) => onChange(on ? [...chosen, id] : chosen.filter((other) => other !== id))
  return (
    <fieldset aria-describedby={note}>
      <legend className={inputStyles.label}>{messages.form.accounts}</legend>
      <ul className={`${cardStyles.card} max-h-60 overflow-auto`}>
        {accounts.map(({ id, name, glyph, hue, status, quota, poolUse, poolReason }) => (
          <li key={id}>
            <label className={`${styles.row} ${styles.choice}`} htmlFor={`${note}-${id}`}>
              <Checkbox
                id={`${note}-${id}`}
                checked={chosen.includes(id)}
                disabled={poolUse === 'NONE'}
                onChange={(on) => toggle(id, on)}
              />
              <AccountMark glyph={glyph} hue={hue} size={24} />
              <span className="min-w-0">
                <span className="ell block">{name}</span>
                {poolUse !== 'FULL' && (
                  <span className="meta subtle block">
                    {[messages.poolUse[poolUse === 'NONE' ? 'NONE' : 'EXTRA_COPIES'], poolReason]
                      .filter(Boolean)
                      .join(' ')}
                  </span>
                )}
              </span>
              <span className="meta subtle num">
                {status === 'CONNECTED' ? freeText(quota) : messages.states.expired}
              </span>
            </label>
          </li>
        ))}
      </ul>
      {error ? (
        <FieldError id={note}>{error}</FieldError>
      ) : (
        <p id={note} className={inputStyles.hint}>
          {messages.form.accountsHint}
        </p>
      )}
    </fieldset>
  )
}

type Quota = Parameters<typeof freeBytes>[0]

function freeText(quota: Quota): string {
  if (quota.state === 'UNLIMITED') return messages.unlimited
  return quota.totalBytes == null ? messages.unknown : messages.freeBytes(formatBytes(freeBytes(quota)))
}
