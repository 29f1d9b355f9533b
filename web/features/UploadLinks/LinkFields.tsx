import { type ReactNode, type Ref, useId } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import inputStyles from '../../ui/Input.module.css'
import { TextField } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { dayOf } from '../Share/terms.ts'
import { type LinkForm, type LinkFormErrors, sizeOptions } from './linkForm.ts'
import { EXPIRIES, messages } from './messages.ts'
import styles from './UploadLinks.module.css'

type Props = {
  readonly form: LinkForm
  readonly errors: LinkFormErrors
  readonly onChange: (change: Partial<LinkForm>) => void
  /** The link already has one. */
  readonly hasPassword?: boolean
  readonly first?: Ref<HTMLInputElement> | undefined
  /** Between the message and the limits. */
  readonly children?: ReactNode
}

/** The settings of an upload link; only the title is required. */
export function LinkFields({ form, errors, onChange, hasPassword = false, first, children }: Props) {
  return (
    <div className={styles.fields}>
      <TextField
        className={styles.whole}
        label={messages.titleLabel}
        {...(first && { ref: first })}
        autoComplete="off"
        maxLength={120}
        value={form.title}
        error={errors.title}
        onChange={(event) => onChange({ title: event.currentTarget.value })}
      />
      <MessageField {...{ form, onChange }} />
      {children}
      <Limits {...{ form, errors, onChange }} />
      <PasswordField {...{ form, onChange, hasPassword }} />
      <div className={`${styles.whole} ${styles.switches}`}>
        <SwitchRow
          label={messages.asksName}
          hint={messages.asksNameHint}
          checked={form.asksName}
          onChange={(asksName) => onChange({ asksName })}
        />
        <SwitchRow
          label={messages.notifies}
          hint={messages.notifiesHint}
          checked={form.notifies}
          onChange={(notifies) => onChange({ notifies })}
        />
      </div>
    </div>
  )
}

function MessageField({ form, onChange }: Pick<Props, 'form' | 'onChange'>) {
  const id = useId()
  return (
    <div className={styles.whole}>
      <label className={inputStyles.label} htmlFor={id}>
        {messages.message}
      </label>
      <textarea
        id={id}
        className={`${inputStyles.input} ${styles.message}`}
        rows={2}
        maxLength={1000}
        value={form.message}
        onChange={(event) => onChange({ message: event.currentTarget.value })}
      />
    </div>
  )
}

function Limits({ form, errors, onChange }: Pick<Props, 'form' | 'errors' | 'onChange'>) {
  return (
    <>
      <div>
        <Select
          label={messages.expires}
          value={form.expiry}
          options={EXPIRIES}
          onChange={(expiry) => onChange({ expiry })}
        />
        {form.expiry === 'date' && (
          <TextField
            className="mt-2"
            label={messages.date}
            type="date"
            min={dayOf(new Date())}
            value={form.date}
            error={errors.date}
            onChange={(event) => onChange({ date: event.currentTarget.value })}
          />
        )}
      </div>
      <Select
        label={messages.total}
        value={form.maxBytes}
        options={sizeOptions(form.maxBytes)}
        onChange={(maxBytes) => onChange({ maxBytes })}
      />
      <TextField
        label={messages.files}
        inputMode="numeric"
        autoComplete="off"
        placeholder={messages.noLimit}
        value={form.maxFiles}
        error={errors.maxFiles}
        onChange={(event) => onChange({ maxFiles: event.currentTarget.value.trim() })}
      />
      <Select
        label={messages.perFile}
        value={form.maxFileBytes}
        options={sizeOptions(form.maxFileBytes)}
        onChange={(maxFileBytes) => onChange({ maxFileBytes })}
      />
    </>
  )
}

function PasswordField({ form, onChange, hasPassword }: Pick<Props, 'form' | 'onChange' | 'hasPassword'>) {
  const id = useId()
  return (
    <div className={styles.whole}>
      <label className={inputStyles.label} htmlFor={id}>
        {messages.password}
      </label>
      <PasswordInput
        id={id}
        autoComplete="new-password"
        maxLength={1000}
        disabled={form.isPasswordRemoved}
        value={form.password}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange({ password: event.currentTarget.value })}
      />
      <p className={inputStyles.hint} id={`${id}-hint`}>
        {hasPassword ? messages.passwordKept : messages.passwordHint}
      </p>
      {hasPassword && (
        <label className="hstack mt-2 w-fit" htmlFor={`${id}-remove`}>
          <Checkbox
            id={`${id}-remove`}
            checked={form.isPasswordRemoved}
            onChange={(isPasswordRemoved) => onChange({ isPasswordRemoved, password: '' })}
          />
          {messages.removePassword}
        </label>
      )}
    </div>
  )
}

type SwitchRowProps = {
  readonly label: string
  readonly hint: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

function SwitchRow({ label, hint, checked, onChange }: SwitchRowProps) {
  const id = useId()
  return (
    <div className={styles.switchRow}>
      <label className="grow" htmlFor={id}>
        <span className="block font-medium">{label}</span>
        <span className="meta subtle">{hint}</span>
      </label>
      <Switch id={id} checked={checked} onChange={onChange} />
    </div>
  )
}
