import { useId } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { AccountChoice_viewer$key } from '../../__generated__/AccountChoice_viewer.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { FieldError } from '../../ui/Input.tsx'
import { freeBytes } from './PoolCapacity.tsx'
import { words } from './words.ts'

type Props = {
  viewer: AccountChoice_viewer$key
  chosen: readonly string[]
  error: string | undefined
  onChange: (ids: string[]) => void
}

/** Which accounts a group cloud is made of; a new one goes to the end of its order. */
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
      <legend className="label">{words.form.accounts}</legend>
      <ul className="card max-h-60 overflow-auto">
        {accounts.map(({ id, name, glyph, hue, status, quota }) => (
          <li key={id}>
            <label className="trow choice" htmlFor={`${note}-${id}`}>
              <Checkbox id={`${note}-${id}`} checked={chosen.includes(id)} onChange={(on) => toggle(id, on)} />
              <AccountMark glyph={glyph} hue={hue} size={24} />
              <span className="ell">{name}</span>
              <span className="meta subtle num">
                {status === 'CONNECTED' ? freeWords(quota) : words.states.expired}
              </span>
            </label>
          </li>
        ))}
      </ul>
      {error ? (
        <FieldError id={note}>{error}</FieldError>
      ) : (
        <p id={note} className="hint">
          {words.form.accountsHint}
        </p>
      )}
    </fieldset>
  )
}

type Quota = Parameters<typeof freeBytes>[0]

function freeWords(quota: Quota): string {
  if (quota.state === 'UNLIMITED') return words.unlimited
  return quota.totalBytes == null ? words.unknown : words.freeBytes(formatBytes(freeBytes(quota)))
}
