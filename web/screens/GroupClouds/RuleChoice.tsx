import { useId } from 'react'
import inputStyles from '../../ui/Input.module.css'
import { FieldError } from '../../ui/Input.tsx'
import radioStyles from '../../ui/Radio.module.css'
import { Switch } from '../../ui/Switch.tsx'
import type { Form } from './form.ts'
import { messages } from './messages.ts'

type Props = {
  form: Form
  /** What is wrong with the number of copies. */
  error: string | undefined
  /** It is the default now, which only another one can take. */
  isDefault: boolean
  onChange: (part: Partial<Form>) => void
}

const MOST_COPIES = 3
const copies = Array.from({ length: MOST_COPIES }, (_, index) => index + 1)

/** By which rules files are placed, each in plain words. */
export function RuleChoice({ form, error, isDefault, onChange }: Props) {
  return (
    <>
      <fieldset>
        <legend className={inputStyles.label}>{messages.form.placement}</legend>
        <div className="grid gap-2">
          {Object.entries(messages.form.placements).map(([rule, [name, text]]) => (
            <label key={rule} className="hstack items-start gap-3">
              <input
                type="radio"
                className={`${radioStyles.radio} mt-0.5`}
                name="placement"
                checked={form.placement === rule}
                onChange={() => onChange({ placement: rule as Form['placement'] })}
              />
              <span>
                <span className="strong block">{name}</span>
                <span className="meta subtle">{text}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <CopiesChoice value={form.copies} error={error} onChange={(value) => onChange({ copies: value })} />
      <Setting
        label={messages.form.spanning}
        hint={messages.form.spanningHint}
        checked={form.spanning}
        onChange={(spanning) => onChange({ spanning })}
      />
      {!isDefault && (
        <Setting
          label={messages.form.default}
          checked={form.defaultUploadGroup}
          onChange={(defaultUploadGroup) => onChange({ defaultUploadGroup })}
        />
      )}
    </>
  )
}

type CopiesProps = { value: number; error: string | undefined; onChange: (value: number) => void }

function CopiesChoice({ value, error, onChange }: CopiesProps) {
  const note = useId()
  return (
    <fieldset aria-describedby={note}>
      <legend className={inputStyles.label}>{messages.form.copies}</legend>
      <div className="hstack gap-4">
        {copies.map((count) => (
          <label key={count} className="hstack gap-2">
            <input
              type="radio"
              className={radioStyles.radio}
              name="copies"
              checked={value === count}
              onChange={() => onChange(count)}
            />
            <span className="num">{count}</span>
          </label>
        ))}
      </div>
      {error ? (
        <FieldError id={note}>{error}</FieldError>
      ) : (
        <p id={note} className={inputStyles.hint}>
          {messages.form.copiesHint}
        </p>
      )}
    </fieldset>
  )
}

type SettingProps = { label: string; hint?: string; checked: boolean; onChange: (checked: boolean) => void }

function Setting({ label, hint, checked, onChange }: SettingProps) {
  const id = useId()
  return (
    <div className="hstack items-start gap-3">
      <Switch id={id} checked={checked} onChange={onChange} />
      <span>
        <label className="block" htmlFor={id}>
          {label}
        </label>
        {hint && <span className="meta subtle">{hint}</span>}
      </span>
    </div>
  )
}
