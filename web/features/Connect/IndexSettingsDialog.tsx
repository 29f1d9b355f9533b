import { Suspense, useId, useState } from 'react'
import { graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { IndexSettingsDialogQuery } from '../../__generated__/IndexSettingsDialogQuery.graphql.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { toast } from '../../ui/toast.ts'
import { setShown } from './accountIndex.ts'
import styles from './Connect.module.css'
import type { AccountScope } from './connectAccount.ts'
import { messages } from './messages.ts'
import { ScopeChoice } from './ScopeChoice.tsx'

type Props = { readonly accountId: string; readonly name: string; readonly onClose: () => void }

/** What is shown of an account: everything or only what Skypool stores, and the trees in addition to its own one. Import it lazily. */
export function IndexSettingsDialog(props: Props) {
  return (
    <RetryBoundary fallback={(error) => <Frame {...props}>{error}</Frame>}>
      <Suspense
        fallback={
          <Frame {...props}>
            <p role="status" className="muted">
              {messages.index.reading}
            </p>
          </Frame>
        }
      >
        <Settings {...props} />
      </Suspense>
    </RetryBoundary>
  )
}

function Frame({ name, onClose, children }: Props & { readonly children: React.ReactNode }) {
  const footer = <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
  return (
    <Dialog open onClose={onClose} title={messages.index.title} description={name} footer={footer}>
      {children}
    </Dialog>
  )
}

function Settings({ accountId, name, onClose }: Props) {
  const environment = useRelayEnvironment()
  const { node: account } = useLazyLoadQuery<IndexSettingsDialogQuery>(
    graphql`
      query IndexSettingsDialogQuery($id: ID!) {
        node(id: $id) {
          ... on Account {
            glyph
            hue
            scope
            canShowEverything
            roots {
              sharedWithMe
              drives { id name isShown }
            }
          }
        }
      }
    `,
    { id: accountId },
    { fetchPolicy: 'network-only', fetchKey: useRetryKey() },
  )
  const roots = account?.roots
  const [scope, setScope] = useState<AccountScope>(account?.scope === 'EVERYTHING' ? 'EVERYTHING' : 'OWN')
  const [sharedWithMe, setSharedWithMe] = useState(roots?.sharedWithMe ?? false)
  const [drives, setDrives] = useState(
    () => new Set(roots?.drives.filter((drive) => drive.isShown).map(({ id }) => id)),
  )
  const [busy, setBusy] = useState(false)
  if (!account) return null
  const canShowEverything = account.canShowEverything ?? false
  const hasRoots = roots != null && (roots.sharedWithMe != null || roots.drives.length > 0)

  async function save(): Promise<void> {
    setBusy(true)
    try {
      const isAll = scope === 'EVERYTHING' && hasRoots
      await setShown(environment, accountId, { scope, ...(isAll && { sharedWithMe, drives: [...drives] }) })
      toast.success(messages.index.saved)
      onClose()
    } catch (error) {
      toast.error(messages.index.failed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(drives)
    if (isChosen) next.add(id)
    else next.delete(id)
    setDrives(next)
  }
  const footer = (
    <>
      <Button className="push" onClick={onClose}>
        {sharedMessages.common.cancel}
      </Button>
      <Button variant="primary" busy={busy} onClick={() => void save()}>
        {messages.index.save}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      title={messages.index.title}
      description={name}
      mark={account.glyph && <AccountMark glyph={account.glyph} hue={account.hue ?? 0} size={40} />}
      footer={footer}
    >
      <ScopeChoice
        scope={scope}
        canShowEverything={canShowEverything}
        disabled={busy}
        onChange={setScope}
        ticks="NONE"
      />
      {scope === 'EVERYTHING' && roots && hasRoots && (
        <fieldset className="mt-5">
          <legend className="label">{messages.index.more}</legend>
          <p className="meta subtle mb-2">{messages.index.moreHint}</p>
          {roots.sharedWithMe != null && (
            <Root
              name={messages.index.sharedWithMe}
              text={messages.index.sharedText}
              isChosen={sharedWithMe}
              disabled={busy}
              onChange={setSharedWithMe}
            />
          )}
          {roots.drives.map(({ id, name: driveName }) => (
            <Root
              key={id}
              name={driveName}
              text={messages.index.driveText}
              isChosen={drives.has(id)}
              disabled={busy}
              onChange={(isChosen) => choose(id, isChosen)}
            />
          ))}
          {roots.drives.length === 0 && <p className="meta subtle mt-2">{messages.index.noDrives}</p>}
        </fieldset>
      )}
      <p className="meta subtle mt-4">{messages.index.hides}</p>
    </Dialog>
  )
}

type RootProps = {
  readonly name: string
  readonly text: string
  readonly isChosen: boolean
  readonly disabled: boolean
  readonly onChange: (isChosen: boolean) => void
}

function Root({ name, text, isChosen, disabled, onChange }: RootProps) {
  const id = useId()
  return (
    <label className={styles.root} htmlFor={id}>
      <Checkbox id={id} checked={isChosen} disabled={disabled} onChange={onChange} />
      <span className="min-w-0">
        <b className="ell block">{name}</b>
        <span className="meta muted">{text}</span>
      </span>
    </label>
  )
}
