import { ChevronRight } from 'lucide-react'
import { useId } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Icon } from '../../ui/Icon.tsx'
import inputStyles from '../../ui/Input.module.css'
import { TextField } from '../../ui/Input.tsx'
import { Select } from '../../ui/Select.tsx'
import styles from './Keys.module.css'
import { type Limits, tomorrow } from './limits.ts'
import { messages } from './messages.ts'

type Props = { limits: Limits; error: string | undefined; onChange: (part: Partial<Limits>) => void }

/** Options that most keys do not need: collapsed by default. */
export function KeyLimits({ limits, error, onChange }: Props) {
  return (
    <details className={styles.fold}>
      <summary>
        <Icon icon={ChevronRight} />
        {messages.form.limits}
      </summary>
      <div className="mt-4 grid gap-5">
        <fieldset>
          <legend className={inputStyles.label}>{messages.form.scopes}</legend>
          <div className="grid gap-2">
            <Scope texts={messages.form.scopeTexts.READ} checked />
            <Scope
              texts={messages.form.scopeTexts.WRITE}
              checked={limits.write}
              onChange={(write) => onChange({ write })}
            />
            <Scope
              texts={messages.form.scopeTexts.SHARE}
              checked={limits.share}
              onChange={(share) => onChange({ share })}
            />
          </div>
        </fieldset>
        <Expiry limits={limits} error={error} onChange={onChange} />
      </div>
    </details>
  )
}

type ScopeProps = {
  texts: readonly [string, string]
  checked: boolean /** Without it, it cannot be changed. */
  onChange?: (checked: boolean) => void
}

function Scope({ texts: [name, text], checked, onChange }: ScopeProps) {
  const id = useId()
  return (
    <label className="hstack items-start gap-3" htmlFor={id}>
      <Checkbox id={id} className="mt-0.5" checked={checked} disabled={!onChange} onChange={(is) => onChange?.(is)} />
      <span>
        <span className="strong block">{name}</span>
        <span className="meta subtle">{text}</span>
      </span>
    </label>
  )
}

const EXPIRIES = ['never', 30, 90, 365, 'day'] as const

function Expiry({ limits, error, onChange }: Props) {
  const choose = (value: string) => {
    const expiry = EXPIRIES.find((choice) => String(choice) === value)
    if (expiry) onChange({ expiry })
  }
  return (
    <div className="grid gap-4">
      <div>
        <Select
          label={messages.form.expiry}
          value={String(limits.expiry)}
          options={EXPIRIES.map((expiry) => ({ value: String(expiry), label: messages.form.expiries[expiry] }))}
          onChange={choose}
        />
      </div>
      {limits.expiry === 'day' && (
        <TextField
          type="date"
          label={messages.form.day}
          min={tomorrow()}
          value={limits.day}
          error={error}
          onChange={(event) => onChange({ day: event.currentTarget.value })}
        />
      )}
    </div>
  )
}
