import { type ReactNode, type Ref, Suspense, useId } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { LinkFieldsQuery } from '../../__generated__/LinkFieldsQuery.graphql.ts'
import inputStyles from '../../ui/Input.module.css'
import { TextField } from '../../ui/Input.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { ExpiryField, LinkPasswordField } from '../Share/linkFields.tsx'
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
      <LinkPasswordField value={form} className={styles.whole} {...{ hasPassword, onChange }} />
      <div className={`${styles.whole} ${styles.switches}`}>
        <SwitchRow
          label={messages.asksName}
          hint={messages.asksNameHint}
          checked={form.asksName}
          onChange={(asksName) => onChange({ asksName })}
        />
        <Suspense fallback={<NotifiesRow {...{ form, onChange }} />}>
          <KnownNotifiesRow {...{ form, onChange }} />
        </Suspense>
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
      <ExpiryField value={form} options={EXPIRIES} error={errors.date} onChange={onChange} />
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

/** Without mail the switch could do nothing, so it is disabled and its description says why. */
function KnownNotifiesRow({ form, onChange }: Pick<Props, 'form' | 'onChange'>) {
  const { server } = useLazyLoadQuery<LinkFieldsQuery>(
    graphql`
      query LinkFieldsQuery {
        server { mail }
      }
    `,
    {},
    { fetchPolicy: 'store-or-network' },
  )
  return <NotifiesRow {...{ form, onChange }} isDisabled={!server.mail} />
}

function NotifiesRow({
  form,
  onChange,
  isDisabled = false,
}: Pick<Props, 'form' | 'onChange'> & { isDisabled?: boolean }) {
  return (
    <SwitchRow
      label={messages.notifies}
      hint={isDisabled ? messages.noMail : messages.notifiesHint}
      checked={form.notifies && !isDisabled}
      isDisabled={isDisabled}
      onChange={(notifies) => onChange({ notifies })}
    />
  )
}

type SwitchRowProps = {
  readonly label: string
  readonly hint: string
  readonly checked: boolean
  readonly isDisabled?: boolean
  readonly onChange: (checked: boolean) => void
}

function SwitchRow({ label, hint, checked, isDisabled = false, onChange }: SwitchRowProps) {
  const id = useId()
  return (
    <div className={styles.switchRow}>
      <label className="grow" htmlFor={id}>
        <span className="block font-medium">{label}</span>
        <span className="meta subtle">{hint}</span>
      </label>
      <Switch id={id} checked={checked} disabled={isDisabled} onChange={onChange} />
    </div>
  )
}
