import { CircleDashed, History, RotateCcw, ShieldCheck, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { graphql, useRelayEnvironment } from 'react-relay'
import type { ProtectionSectionMutation } from '../../__generated__/ProtectionSectionMutation.graphql.ts'
import type {
  ProtectionSectionQuery,
  ProtectionSectionQuery$data,
} from '../../__generated__/ProtectionSectionQuery.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatDay, formatFullDate } from '../../lib/formatDate.ts'
import { nameText } from '../../lib/nameText.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { toast } from '../../ui/toast.ts'
import styles from './Details.module.css'
import { counted } from './messages.ts'
import { useLiveFile } from './useLiveFile.ts'

const query = graphql`
  query ProtectionSectionQuery($id: ID!) {
    viewer {
      file(id: $id) {
        kind
        protection {
          folder { id name }
          groupCloud { name }
          copies
          keepVersionsDays
          state
          reason
          counts { files protectedFiles atRiskFiles skippedFiles earlierVersions earlierBytes }
        }
        earlierVersions { id name path size modifiedAt endedAt keptUntil reason }
      }
    }
  }
`

/** How an entry of an account is protected, and its earlier versions. Import it lazily. */
export function ProtectionSection({ id }: { id: string }) {
  const details = { name: 'ProtectionSectionQuery', id, fetchPolicy: 'store-and-network' } as const
  const { viewer } = useLiveFile<ProtectionSectionQuery>(query, details)
  const file = viewer?.file
  if (!file?.protection && (file?.earlierVersions.length ?? 0) === 0) return null
  return (
    <>
      {file?.protection && <State id={id} kind={file.kind} protection={file.protection} />}
      {file && file.earlierVersions.length > 0 && <EarlierVersions kind={file.kind} versions={file.earlierVersions} />}
    </>
  )
}

type File = NonNullable<NonNullable<ProtectionSectionQuery$data['viewer']>['file']>
type Protection = NonNullable<File['protection']>
type Version = File['earlierVersions'][number]

const STATES = {
  PROTECTED: { text: 'Protected', tone: 't-success', icon: ShieldCheck },
  CATCHING_UP: { text: 'Catching up', tone: 't-accent', icon: CircleDashed },
  AT_RISK: { text: 'At risk', tone: 't-warning', icon: TriangleAlert },
  SKIPPED: { text: 'Not copied', tone: 'subtle', icon: CircleDashed },
} as const

function State({ id, kind, protection }: { id: string; kind: string; protection: Protection }) {
  const { folder, groupCloud, copies, keepVersionsDays, reason } = protection
  const state = STATES[protection.state as keyof typeof STATES]
  const isOwn = folder.id === id
  return (
    <section className={styles.section} aria-label="Protection">
      <h3 className="hstack">
        <Icon icon={state.icon} size={14} className={state.tone} />
        <span className={cx('strong', state.tone)}>{state.text}</span>
      </h3>
      <p className="meta subtle">
        {reason ?? `${copies === 1 ? '1 more copy' : '2 more copies'}${groupCloud ? ` in “${groupCloud.name}”` : ''}.`}
        {!isOwn && ` Protected with “${nameText(folder.name)}”.`} Earlier versions are kept for{' '}
        {counted(keepVersionsDays, 'day')}.
      </p>
      {kind === 'FOLDER' && isOwn && <Counts protection={protection} />}
    </section>
  )
}

function Counts({ protection: { counts } }: { protection: Protection }) {
  const { files, protectedFiles, atRiskFiles, skippedFiles, earlierVersions, earlierBytes } = counts
  const parts = [
    `${protectedFiles.toLocaleString('en')} of ${counted(files, 'file')} protected`,
    atRiskFiles > 0 && `${atRiskFiles.toLocaleString('en')} at risk`,
    skippedFiles > 0 &&
      `${skippedFiles.toLocaleString('en')} not copied, because they have no bytes or cannot be downloaded`,
    earlierVersions > 0 && `${counted(earlierVersions, 'earlier version')} (${formatBytes(earlierBytes)})`,
  ]
  return <p className="meta subtle num">{parts.filter(Boolean).join(' · ')}</p>
}

const REASONS: Record<string, string> = { CHANGED: 'Changed', DELETED: 'Deleted', MOVED: 'Moved away' }

function EarlierVersions({ kind, versions }: { kind: string; versions: readonly Version[] }) {
  return (
    <section className={styles.section} aria-label="Earlier versions">
      <h3 className="hstack strong">
        <Icon icon={History} size={14} />
        Earlier versions
      </h3>
      <ul className="grid gap-2">
        {versions.map((version) => (
          <VersionRow key={version.id} version={version} hasName={kind === 'FOLDER'} />
        ))}
      </ul>
    </section>
  )
}

const restore = graphql`
  mutation ProtectionSectionMutation($input: RestoreEarlierVersionInput!) {
    restoreEarlierVersion(input: $input) {
      __typename
      ... on RestoreEarlierVersionPayload { intoAccount folderName }
      ... on Error { code message }
    }
  }
`

function VersionRow({ version, hasName }: { version: Version; hasName: boolean }) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  const { id, name, path, size, modifiedAt, endedAt, keptUntil, reason } = version

  async function put(): Promise<void> {
    setBusy(true)
    try {
      const { restoreEarlierVersion } = await runMutation<ProtectionSectionMutation>(environment, {
        mutation: restore,
        variables: { input: { id } },
        outcome: (answer) => answer.restoreEarlierVersion,
      })
      const { intoAccount, folderName } = restoreEarlierVersion
      const where = intoAccount && folderName ? `“${nameText(folderName)}”` : 'My Drive'
      toast.success(`“${nameText(name)}” is being restored to ${where}`)
    } catch (error) {
      toast.error('This version could not be restored', { description: reasonOf(error) })
    } finally {
      setBusy(false)
    }
  }

  return (
    <li className="hstack justify-between">
      <span className="grow min-w-0">
        {hasName && (
          <span className="ell block" title={[...path, name].map(nameText).join(' / ')}>
            {nameText(name)}
          </span>
        )}
        <span className="meta subtle num block">
          <time dateTime={modifiedAt} title={formatFullDate(modifiedAt)}>
            {formatDay(modifiedAt)}
          </time>{' '}
          · {formatBytes(size)}
        </span>
        <span className="meta subtle num block">
          {REASONS[reason]}{' '}
          <time dateTime={endedAt} title={formatFullDate(endedAt)}>
            {formatDay(endedAt)}
          </time>
          , kept until{' '}
          <time dateTime={keptUntil} title={formatFullDate(keptUntil)}>
            {formatDay(keptUntil)}
          </time>
        </span>
      </span>
      <Button size="sm" busy={busy} aria-label={`Restore ${nameText(name)}`} onClick={() => void put()}>
        <Icon icon={RotateCcw} size={14} />
        Restore
      </Button>
    </li>
  )
}
