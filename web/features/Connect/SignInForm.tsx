import { type FormEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { SignInForm_provider$key } from '../../__generated__/SignInForm_provider.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { fieldErrorsOf, reasonOf } from '../../relay/runMutation.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import inputStyles from '../../ui/Input.module.css'
import { FieldError, TextField } from '../../ui/Input.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.ts'
import { ConnectSteps } from './ConnectSteps.tsx'
import type { AccountScope } from './connectAccount.ts'
import type { FieldValues } from './connectByForm.ts'
import { FINGERPRINT, FormTest } from './FormTest.tsx'
import { messages } from './messages.ts'
import { ProviderFacts } from './ProviderFacts.tsx'
import {
  correctedBy,
  type Entered,
  type Field,
  isNeeded,
  isRequired,
  keptSecrets,
  missingErrors,
  missingIn,
  pathOf,
} from './requiredFields.ts'
import { ScopeChoice } from './ScopeChoice.tsx'
import { type TestResult, testAccountForm } from './testAccountForm.ts'

type Props = {
  provider: SignInForm_provider$key
  title: string
  description?: string | undefined
  /** A new account: its name is asked for too, and what is shown of it where there is a choice. */
  withName: boolean
  submitLabel: string
  failed: string
  /** Of an account that is connected again: its values, and its id for its stored secrets. */
  account?: { readonly id: string; readonly values: FieldValues }
  /** Asks the server. @throws MutationRefused, Error */
  onSubmit: (environment: IEnvironment, name: string, values: FieldValues, scope: AccountScope) => Promise<void>
  onClose: () => void
  onBack?: () => void
}

/** A sign-in form: the fields that the server describes for a provider, each with its error. */
export function SignInForm({ provider: key, withName, onSubmit, onClose, onBack, account, ...texts }: Props) {
  const provider = useFragment(
    graphql`
      fragment SignInForm_provider on Provider {
        id
        name
        hue
        glyph
        access
        canShowEverything
        hasExtraRoots
        connectSteps
        ...ProviderFacts_provider
        fields {
          name
          label
          help
          type
          choices {
            value
            label
          }
          secret
          required
          requiredWhen {
            conditions {
              field
              values
            }
            message
          }
          onRequest
          stored
        }
      }
    `,
    key,
  )
  const environment = useRelayEnvironment()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<AccountScope>(provider.canShowEverything ? 'EVERYTHING' : 'OWN')
  const [values, setValues] = useState<FieldValues>(account?.values ?? {})
  const [requested, setRequested] = useState<ReadonlySet<string>>(new Set())
  const [busy, setBusy] = useState(false)
  const [tested, setTested] = useState<TestResult | null>(null)
  const [testing, setTesting] = useState(false)
  const [reminds, setReminds] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const errors = useFieldErrors(form)
  const formId = useId()

  /** What a refusal says of the fields is shown there; any other stays in the dialog, because a toast disappears. */
  const show = (error: unknown, title: string) => {
    const found = fieldErrorsOf(error)
    errors.set(found)
    setRequested((before) => new Set([...before, ...Object.keys(found)]))
    if (Object.keys(found).length > 0) return
    toast.error(title)
    setTested(refusal(reasonOf(error)))
  }
  const fields = provider.fields.filter(({ name: own, onRequest }) => !onRequest || requested.has(pathOf(own)))
  const enteredOf = (given: FieldValues): Entered => ({
    values: given,
    kept: account ? keptSecrets(provider.fields, given) : NONE,
  })
  const entered = enteredOf(values)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy || testing) return
    // With a name, the server says all that is missing, and what else is wrong.
    if (withName && name.trim() === '') {
      const missing = missingIn(fields, entered)
      const labels = missing.map(({ label }) => label)
      const description = labels.length === 0 ? messages.nameHint : messages.nameHintAnd(labels)
      toast.error(messages.nameMissing, { description })
      return errors.set({ name: messages.required(messages.name), ...missingErrors(missing) })
    }
    if (tested?.fingerprint != null && !values[FINGERPRINT]) return setReminds(true)
    // Without a host key to compare with, the server is only asked for its key.
    if (provider.fields.some((field) => field.name === FINGERPRINT) && !values[FINGERPRINT]) return void test()
    setBusy(true)
    errors.set({})
    setTested(null)
    try {
      await onSubmit(environment, name.trim(), values, scope)
    } catch (error) {
      show(error, texts.failed)
      setBusy(false)
    }
  }
  const test = async () => {
    setTesting(true)
    errors.set({})
    setTested(null)
    setReminds(false)
    try {
      setTested(await testAccountForm(environment, provider.id, values, account?.id))
    } catch (error) {
      show(error, messages.test.failed)
    } finally {
      setTesting(false)
    }
  }
  const change = (field: string, value: string) => setValues((before) => ({ ...before, [field]: value }))
  /** A result is that of the values that were tried. */
  const edit = (field: string, value: string) => {
    if (field !== FINGERPRINT) setTested(null)
    errors.correct(correctedBy(field, fields, enteredOf({ ...values, [field]: value })))
    change(field, value)
  }
  // A code works once: a test would use it up, and connecting would need the next one.
  const hasCode = fields.some(({ onRequest }) => onRequest)
  const footer = (
    <>
      {onBack ? (
        <Button className="push" onClick={onBack}>
          {messages.back}
        </Button>
      ) : (
        <Button className="push" onClick={onClose}>
          {sharedMessages.common.cancel}
        </Button>
      )}
      {!hasCode && (
        <Button onClick={() => !busy && void test()} busy={testing}>
          {tested ? messages.test.again : messages.test.button}
        </Button>
      )}
      <Button variant="primary" type="submit" form={formId} busy={busy}>
        {busy ? messages.connecting : texts.submitLabel}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.title}
      description={texts.description}
      mark={<AccountMark glyph={provider.glyph} hue={provider.hue} size={40} />}
      size="sm"
      initialFocus={first}
      footer={footer}
    >
      {withName && provider.connectSteps.length > 0 && (
        <details className="mb-5">
          <summary>{messages.stepByStep}</summary>
          <ConnectSteps steps={provider.connectSteps} />
        </details>
      )}
      <form id={formId} ref={form} noValidate onSubmit={submit}>
        {withName && (
          <TextField
            label={messages.name}
            hint={messages.nameHint}
            value={name}
            ref={first}
            maxLength={100}
            autoComplete="off"
            required
            error={errors.of('name')}
            onChange={(event) => {
              setName(event.target.value)
              errors.correct(['name'])
            }}
          />
        )}
        {fields.map((field) => (
          <FormField
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            error={errors.of(pathOf(field.name))}
            busy={busy}
            keepsSecret={entered.kept.has(field.name)}
            isNeeded={isNeeded(field, values)}
            required={isRequired(field, entered)}
            onChange={(value) => edit(field.name, value)}
          />
        ))}
      </form>
      {withName && provider.canShowEverything && (
        <ScopeChoice
          scope={scope}
          canShowEverything
          disabled={busy}
          onChange={setScope}
          ticks={provider.hasExtraRoots ? 'EXTRA_ROOTS' : 'OWN_TREE'}
        />
      )}
      {tested && (
        <div className="mt-5" ref={intoView}>
          <FormTest result={tested} values={values} busy={busy || testing} reminds={reminds} onChange={change} />
        </div>
      )}
      <div className="mt-5">
        <Notice>
          {provider.access}
          <ProviderFacts provider={provider} />
        </Notice>
      </div>
    </Dialog>
  )
}

const NONE: ReadonlySet<string> = new Set()

/** Errors by path, each until its field is corrected. `set` moves the focus to the first field that has one. */
function useFieldErrors(form: RefObject<HTMLFormElement | null>) {
  const [errors, setErrors] = useState<Readonly<Record<string, string | undefined>>>({})
  const [corrected, setCorrected] = useState(NONE)
  useEffect(() => {
    if (Object.keys(errors).length > 0) focusField(form.current?.querySelector<HTMLElement>('[aria-invalid]') ?? null)
  }, [errors, form])
  return {
    of: (path: string): string | undefined => (corrected.has(path) ? undefined : errors[path]),
    set(found: typeof errors) {
      setErrors(found)
      setCorrected(NONE)
    },
    correct: (paths: readonly string[]) => setCorrected((before) => new Set([...before, ...paths])),
  }
}

/** Brings a field with an error, which may be outside the visible area of a dialog, into the middle of it: its label and text too. */
export function focusField(field: HTMLElement | null): void {
  field?.focus({ preventScroll: true })
  field?.scrollIntoView({ block: 'center' })
}

/** For what appears below the visible area of a dialog. */
export const intoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

const refusal = (problem: string): TestResult => ({
  ok: false,
  problem,
  identity: null,
  quota: null,
  fingerprint: null,
  folderField: null,
  folders: [],
})

type FormFieldProps = {
  field: Field
  value: string
  error: string | undefined
  busy: boolean
  /** Left empty, the stored secret is used again. */
  keepsSecret: boolean
  /** With what is entered in the other fields, it is not optional. */
  isNeeded: boolean
  /** It must be filled in. */
  required: boolean
  onChange: (value: string) => void
}

function FormField(props: FormFieldProps): ReactNode {
  const { field, value, error, keepsSecret, required, onChange } = props
  const { label, type, secret, onRequest } = field
  const help = keepsSecret ? messages.keepSecret : field.help
  const name = props.isNeeded || onRequest ? label : messages.optional(label)
  if (type === 'MULTILINE') return <LongField {...{ name, help, value, error, required, onChange }} />
  if (type === 'CHOICE') return <ChoiceField {...props} name={name} help={help} />
  return (
    <TextField
      label={name}
      {...(help && { hint: help })}
      value={value}
      type={secret ? 'password' : 'text'}
      inputMode={type === 'NUMBER' ? 'numeric' : type === 'URL' ? 'url' : 'text'}
      required={required}
      autoComplete={secret ? 'new-password' : 'off'}
      spellCheck={false}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function ChoiceField({
  field,
  name,
  help,
  value,
  error,
  busy,
  required,
  onChange,
}: FormFieldProps & { name: string; help: string | null | undefined }) {
  const { choices } = field
  const options = required ? choices : [{ value: '', label: messages.asUsual }, ...choices]
  const noteId = useId()
  return (
    <div className={inputStyles.field}>
      <Select
        label={name}
        value={required && value === '' ? null : value}
        options={options}
        placeholder={messages.choose}
        disabled={busy}
        invalid={error !== undefined}
        {...((error || help) && { noteId })}
        onChange={onChange}
      />
      {error ? (
        <FieldError id={noteId}>{error}</FieldError>
      ) : (
        help && (
          <p id={noteId} className={inputStyles.hint}>
            {help}
          </p>
        )
      )}
    </div>
  )
}

type LongFieldProps = Pick<FormFieldProps, 'value' | 'error' | 'required' | 'onChange'> & {
  name: string
  help: string | null | undefined
}

function LongField({ name, help, value, error, required, onChange }: LongFieldProps) {
  const id = useId()
  const note = error || help ? `${id}-note` : undefined
  return (
    <div className={inputStyles.field}>
      <label className={inputStyles.label} htmlFor={id}>
        {name}
      </label>
      <textarea
        id={id}
        className={cx(`${inputStyles.input} h-28 py-2`, error && inputStyles.err)}
        value={value}
        required={required}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={error ? true : undefined}
        aria-describedby={note}
        onChange={(event) => onChange(event.target.value)}
      />
      {error ? (
        <FieldError id={note}>{error}</FieldError>
      ) : (
        help && (
          <p id={note} className={inputStyles.hint}>
            {help}
          </p>
        )
      )}
    </div>
  )
}
