import { CornerDownLeft, ExternalLink, Lock, ShieldCheck } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import type { ProviderRows_provider$key } from '../../__generated__/ProviderRows_provider.graphql.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { TextField } from '../../ui/Input.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { toast } from '../../ui/toast.ts'
import { ConnectSteps } from './ConnectSteps.tsx'
import type { AccountScope } from './connectAccount.ts'
import { connectByForm } from './connectByForm.ts'
import { connectOnce } from './lostAnswer.ts'
import { messages } from './messages.ts'
import { ProviderFacts } from './ProviderFacts.tsx'
import { type ProviderChoice, ProviderRows, useProviderChoices } from './ProviderRows.tsx'
import { ScopeChoice } from './ScopeChoice.tsx'
import { FailedConnection, SetupHint, WindowError } from './SetupHint.tsx'
import { focusField, intoView, SignInForm } from './SignInForm.tsx'
import { type ConnectFailure, useConnect } from './useConnect.ts'

type Props = {
  open: boolean
  onClose: () => void
  providers: ProviderRows_provider$key
  /** Called once an account is connected and the dialog is closed, with its name. */
  onConnected: (accountId: string, name: string) => void
  /** Id of the provider that was already chosen on the page. */
  initial?: string | null
}

/**
 * Asks for the provider, then for the account name; the provider's window does the rest. Import it lazily, like
 * Dialog.
 */
export function AddStorageDialog({ open, onClose, onConnected, providers, initial = null }: Props) {
  const choices = useProviderChoices(providers)
  const [chosen, setChosen] = useState<ProviderChoice | null>(() => choices.find(({ id }) => id === initial) ?? null)
  if (chosen?.availability === 'READY' && chosen.connectsBy === 'FORM')
    return (
      <SignInForm
        provider={chosen}
        title={messages.connectTo(chosen.name)}
        description={messages.step}
        withName
        submitLabel={messages.connect}
        failed={messages.failed}
        onClose={onClose}
        onBack={() => setChosen(null)}
        onSubmit={async (environment, name, values, scope) => {
          const accountId = await connectOnce(environment, chosen.id, () =>
            connectByForm(environment, chosen.id, { name, values, scope }),
          )
          toast.success(messages.connected)
          onClose()
          onConnected(accountId, name)
        }}
      />
    )
  if (chosen?.availability === 'READY')
    return (
      <ConnectDialog
        open={open}
        provider={chosen}
        onClose={onClose}
        onConnected={onConnected}
        onBack={() => setChosen(null)}
      />
    )
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={messages.title}
      description={messages.intro}
      size="lg"
      footer={
        <>
          <span className="push muted meta hstack gap-1.5">
            <Icon icon={Lock} size={14} />
            {messages.signInThere}
          </span>
          <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
        </>
      }
    >
      {chosen && (
        <div className="mb-4" role="status" key={chosen.id} ref={intoView}>
          <SetupHint provider={chosen} onLeave={onClose} />
        </div>
      )}
      <ProviderRows providers={providers} onChoose={setChosen} />
    </Dialog>
  )
}

type ConnectProps = Pick<Props, 'open' | 'onClose' | 'onConnected'> & { provider: ProviderChoice; onBack: () => void }

function ConnectDialog({ open, provider, onClose, onConnected, onBack }: ConnectProps) {
  const [name, setName] = useState('')
  const [nameError, setNameError] = useState<string>()
  const [scope, setScope] = useState<AccountScope>(provider.canShowEverything ? 'EVERYTHING' : 'OWN')
  const field = useRef<HTMLInputElement>(null)
  const { run, cancel, busy, failure } = useConnect()
  const leave = (go: () => void) => () => {
    cancel()
    go()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') {
      toast.error(messages.nameMissing, { description: messages.nameHint })
      setNameError(messages.required(messages.name))
      return focusField(field.current)
    }
    const accountId = await run({ provider: provider.id, name: name.trim(), scope })
    if (accountId === null) return
    onClose()
    onConnected(accountId, name.trim())
  }
  const footer = (
    <>
      <Button className="push" onClick={leave(onBack)}>
        {messages.back}
      </Button>
      <Button onClick={leave(onClose)}>{sharedMessages.common.cancel}</Button>
      <Button variant="primary" type="submit" form="connect" busy={busy}>
        {busy ? messages.connecting : messages.connect}
      </Button>
    </>
  )
  return (
    <Dialog
      open={open}
      onClose={leave(onClose)}
      title={messages.connectTo(provider.name)}
      description={messages.step}
      mark={<AccountMark glyph={provider.glyph} hue={provider.hue} size={40} />}
      size="sm"
      initialFocus={field}
      footer={footer}
    >
      <form id="connect" noValidate onSubmit={submit}>
        <TextField
          label={messages.name}
          hint={messages.nameHint}
          value={name}
          ref={field}
          maxLength={100}
          readOnly={busy}
          autoComplete="off"
          error={nameError}
          onChange={(event) => {
            setName(event.target.value)
            setNameError(undefined)
          }}
        />
      </form>
      {/* An account that no group cloud can use has to be shown. */}
      {provider.poolUse !== 'NONE' && (
        <ScopeChoice
          scope={scope}
          canShowEverything={provider.canShowEverything}
          disabled={busy}
          onChange={setScope}
          ticks={provider.hasExtraRoots ? 'EXTRA_ROOTS' : 'OWN_TREE'}
        />
      )}
      <Explanation provider={provider} scope={scope} busy={busy} failure={failure} />
    </Dialog>
  )
}

type ExplanationProps = { provider: ProviderChoice; scope: AccountScope; busy: boolean; failure: ConnectFailure | null }

function Explanation({ provider, scope, busy, failure }: ExplanationProps) {
  const access =
    scope === 'OWN' && provider.canShowEverything ? `${provider.access} ${messages.usesOwn}` : provider.access
  return (
    <>
      {provider.connectSteps.length > 0 && (
        <div className="mt-5">
          <ConnectSteps steps={provider.connectSteps} />
        </div>
      )}
      <ol className="mt-5 grid gap-3">
        <li className="hstack items-start gap-3">
          <Icon icon={ExternalLink} className="subtle mt-0.5" />
          <span className="muted">{messages.windowOpens(provider.name)}</span>
        </li>
        <li className="hstack items-start gap-3">
          <Icon icon={CornerDownLeft} className="subtle mt-0.5" />
          <span className="muted">{messages.sendsBack(provider.name)}</span>
        </li>
      </ol>
      {failure && (
        // A toast disappears. It may be below the visible area.
        <div className="mt-5" ref={intoView}>
          <Notice tone="danger">
            <FailedConnection provider={provider} failure={failure} />
          </Notice>
        </div>
      )}
      <div className="mt-5" role="status">
        <Notice icon={ShieldCheck}>
          <div key={`${busy}`} ref={busy ? intoView : null}>
            {busy ? messages.waiting : access}
            {busy &&
              provider.signInHints.map((hint) => (
                <p key={hint} className="mt-2">
                  {hint}
                </p>
              ))}
            {busy && <WindowError provider={provider} />}
            {!busy && <ProviderFacts provider={provider} />}
          </div>
        </Notice>
      </div>
    </>
  )
}
