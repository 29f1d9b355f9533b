import { type FormEvent, Suspense, useId, useState } from 'react'
import { graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { ProtectDialogQuery, ProtectDialogQuery$data } from '../../../__generated__/ProtectDialogQuery.graphql.ts'
import { formatBytes } from '../../../lib/formatBytes.ts'
import { nameText } from '../../../lib/nameText.ts'
import { useRetryKey } from '../../../lib/retryKey.ts'
import { fieldErrorsOf, MutationRefused, reasonOf } from '../../../relay/runMutation.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { TextField } from '../../../ui/Input.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { PoolMini } from '../../../ui/PoolBar.tsx'
import { RetryBoundary } from '../../../ui/RetryBoundary.tsx'
import { Select } from '../../../ui/Select.tsx'
import { toast } from '../../../ui/toast.ts'
import { protectFolder, unprotectFolder } from '../actions/protectFolder.ts'

type Props = { id: string; name: string; onClose: () => void }

/** Keeps copies of a folder of an account in a group cloud. Import it lazily, like Dialog. */
export function ProtectDialog({ id, name, onClose }: Props) {
  return (
    <RetryBoundary>
      <Suspense>
        <ProtectForm id={id} name={name} onClose={onClose} />
      </Suspense>
    </RetryBoundary>
  )
}

const query = graphql`
  query ProtectDialogQuery($id: ID!) {
    viewer {
      id
      file(id: $id) {
        account { id name lossPreview { inPlaceLost inPlaceLostBytes inPlaceProtected } }
        protection { folder { id name } groupCloud { id } copies keepVersionsDays }
      }
      groupClouds {
        id
        name
        quota { freeBytes }
        members { draining account { id hue } }
      }
    }
  }
`

const COPIES = [
  { value: '1', label: '1 more copy' },
  { value: '2', label: '2 more copies, on different accounts' },
]

function ProtectForm({ id, name, onClose }: Props) {
  const environment = useRelayEnvironment()
  const formId = useId()
  const { viewer } = useLazyLoadQuery<ProtectDialogQuery>(
    query,
    { id },
    { fetchPolicy: 'network-only', fetchKey: useRetryKey() },
  )
  const account = viewer?.file?.account
  const found = viewer?.file?.protection
  const own = found?.folder.id === id ? found : null
  const groupClouds = viewer?.groupClouds ?? []
  const others = (groupCloud: GroupCloud) => countOthers(groupCloud, account?.id)
  const first = groupClouds.find((one) => others(one) > 0)
  const [groupCloudId, setGroupCloud] = useState(own?.groupCloud?.id ?? first?.id ?? null)
  const [copies, setCopies] = useState(String(own?.copies ?? 1))
  const [days, setDays] = useState(String(own?.keepVersionsDays ?? 30))
  const [busy, setBusy] = useState<'save' | 'end' | null>(null)
  const [isEnding, setEnding] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const chosen = groupClouds.find((one) => one.id === groupCloudId)
  const tooFew = chosen !== undefined && others(chosen) < Number(copies)

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (groupCloudId === null || tooFew) return
    setBusy('save')
    try {
      await protectFolder(environment, {
        id,
        groupCloudId,
        copies: Number(copies),
        keepVersionsDays: Math.trunc(Number(days)),
      })
      toast.success(own ? 'Protection changed' : `“${nameText(name)}” is being protected`)
      onClose()
    } catch (reason) {
      setError(reason)
      setBusy(null)
    }
  }

  async function end(): Promise<void> {
    setBusy('end')
    try {
      await unprotectFolder(environment, id)
      toast.success(`“${nameText(name)}” is no longer protected`)
      onClose()
    } catch (reason) {
      setError(reason)
      setBusy(null)
    }
  }

  const footer = isEnding ? (
    <>
      <span className="push" />
      <Button onClick={() => setEnding(false)}>Keep them</Button>
      <Button variant="dangerSolid" busy={busy === 'end'} onClick={() => void end()}>
        Remove all copies
      </Button>
    </>
  ) : (
    <>
      {own && (
        <Button variant="danger" className="push" onClick={() => setEnding(true)}>
          End protection…
        </Button>
      )}
      {!own && <span className="push" />}
      <Button onClick={onClose}>Cancel</Button>
      <Button
        type="submit"
        form={formId}
        variant="primary"
        busy={busy === 'save'}
        disabled={groupCloudId === null || tooFew}
      >
        {own ? 'Save' : 'Protect'}
      </Button>
    </>
  )
  const fields = fieldErrorsOf(error)
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={`Protect “${nameText(name)}”`}
      description="Copies of all files in it are kept in a group cloud. New and changed files are copied too."
      footer={footer}
    >
      {isEnding ? (
        <p>
          All copies and earlier versions of what is in “{nameText(name)}” are removed. The files stay in “
          {account?.name}”.
        </p>
      ) : (
        <form id={formId} noValidate className="grid gap-4" onSubmit={(event) => void save(event)}>
          {found && !own && (
            <Notice>
              It is protected together with “{nameText(found.folder.name)}”. With its own settings, these apply to it
              instead.
            </Notice>
          )}
          {first === undefined && (
            <Notice tone="warning">
              No group cloud has another account than “{account?.name}”. Add one in the Group Cloud Manager first.
            </Notice>
          )}
          <Select
            label="Copies in group cloud"
            value={groupCloudId}
            onChange={setGroupCloud}
            placeholder="Choose a group cloud"
            options={groupClouds.map((one) => ({
              value: one.id,
              label: one.name,
              mark: <PoolMini hues={one.members.map((member) => member.account.hue)} />,
              note: noteOf(one, others(one)),
              disabled: others(one) === 0,
            }))}
          />
          <Select label="Copies" value={copies} onChange={setCopies} options={COPIES} />
          {tooFew && (
            <Notice tone="warning">
              “{chosen.name}” has only {others(chosen)} {others(chosen) === 1 ? 'account' : 'accounts'} besides “
              {account?.name}”.
            </Notice>
          )}
          <TextField
            label="Keep earlier versions for (days)"
            type="number"
            min={1}
            max={3650}
            value={days}
            onChange={(event) => setDays(event.target.value)}
            error={fields.keepVersionsDays}
            hint="What is changed or deleted in the account can be restored for this time."
          />
          <p className="meta subtle">
            Documents of the provider (Google Docs and the like) have no bytes and are not copied. Export them to keep a
            copy.
          </p>
          {account && <LossNote account={account} />}
          {error !== null && !(error instanceof MutationRefused && fields.keepVersionsDays) && (
            <Notice tone="danger">{reasonOf(error)}</Notice>
          )}
        </form>
      )}
    </Dialog>
  )
}

type Viewer = NonNullable<ProtectDialogQuery$data['viewer']>
type GroupCloud = Viewer['groupClouds'][number]
type Account = NonNullable<NonNullable<Viewer['file']>['account']>

function countOthers({ members }: GroupCloud, accountId: string | undefined): number {
  return members.filter(({ account, draining }) => !draining && account.id !== accountId).length
}

function noteOf({ quota }: GroupCloud, others: number): string {
  if (others === 0) return 'No other account'
  return quota.freeBytes == null ? 'Free space unknown' : `${formatBytes(quota.freeBytes)} free`
}

/** What if the account were lost? */
function LossNote({ account: { name, lossPreview } }: { account: Account }) {
  const { inPlaceLost, inPlaceLostBytes, inPlaceProtected } = lossPreview
  const all = inPlaceLost + inPlaceProtected
  if (all === 0) return null
  return (
    <p className="meta subtle num">
      If you lost “{name}” now: {inPlaceLost.toLocaleString('en')} of {all.toLocaleString('en')} files (
      {formatBytes(inPlaceLostBytes)}) would be gone, {inPlaceProtected.toLocaleString('en')} are protected.
    </p>
  )
}
