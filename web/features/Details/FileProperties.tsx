import { ExternalLink } from 'lucide-react'
import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { FileProperties_file$key } from '../../__generated__/FileProperties_file.graphql.ts'
import { formatBytes, formatExactBytes } from '../../lib/formatBytes.ts'
import { formatDay, formatFullDate } from '../../lib/formatDate.ts'
import { itemsText } from '../../lib/items.ts'
import { nameText } from '../../lib/nameText.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { formatDuration, spokenDuration } from '../../ui/Duration.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { DownloadAs } from '../Transfers/DownloadAs.tsx'
import { CopyValue } from './CopyValue.tsx'
import styles from './Details.module.css'
import { Property } from './Property.tsx'
import { ShortcutTarget } from './ShortcutTarget.tsx'

type Who = { readonly changed: string | null; readonly added: string | null }

/** `who`: names from the activity log; null where it has none. */
export function FileProperties({ file, who }: { file: FileProperties_file$key; who: Who }) {
  const {
    id,
    name,
    nativeKind,
    exportTypes,
    webUrl,
    account,
    kind,
    size,
    durationMs,
    mimeType,
    sha256,
    createdAt,
    updatedAt,
    trashedAt,
    parent,
    childCount,
    contentSize,
    copies,
  } = useFragment(
    graphql`
      fragment FileProperties_file on File {
        id
        name
        nativeKind
        exportTypes
        webUrl
        account { providerName }
        kind
        size
        durationMs
        mimeType
        sha256
        createdAt
        updatedAt
        trashedAt
        childCount
        contentSize
        parent { id name }
        copies { id state checkedAt }
      }
    `,
    file,
  )
  const bytes = kind === 'FOLDER' ? contentSize : size
  // Its account is being listed for the first time.
  const isUncounted = kind === 'FOLDER' && childCount == null
  return (
    <section className={styles.section} aria-label="Properties">
      <dl className={`${styles.props} num`}>
        <Property name="Size">{isUncounted ? 'counting…' : <Bytes bytes={bytes} />}</Property>
        {durationMs != null && (
          <Property name="Length">
            <span title={spokenDuration(durationMs)}>{formatDuration(durationMs)}</span>
          </Property>
        )}
        {nativeKind === 'SHORTCUT' && (
          <Property name="Points to">
            <ShortcutTarget id={id} />
          </Property>
        )}
        {nativeKind && (
          <Property name={nativeKind === 'SHORTCUT' ? 'Shortcut' : 'Document'}>
            <span className="hstack flex-wrap">
              {webUrl && (
                <a className={buttonClass('default', 'sm')} href={webUrl} target="_blank" rel="noopener noreferrer">
                  <Icon icon={ExternalLink} size={14} />
                  Open in {account?.providerName ?? 'its account'}
                </a>
              )}
              {nativeKind !== 'SHORTCUT' && <DownloadAs document={{ id, name, nativeKind, exportTypes }} hasText />}
            </span>
          </Property>
        )}
        {kind === 'FOLDER' && (
          <Property name="Contains">
            <span>{itemsText(childCount)}</span>
            {!trashedAt && (
              <>
                {' · '}
                <Link className="link" to={`/file-manager/duplicates?folder=${id}`}>
                  Find duplicates
                </Link>
              </>
            )}
          </Property>
        )}
        {mimeType && <Property name="Type">{mimeType}</Property>}
        <DateProperty name="Modified" iso={updatedAt} who={who.changed} />
        <DateProperty name="Added" iso={createdAt} who={who.added} />
        <Checked copies={copies} />
        {trashedAt && <DateProperty name="Deleted" iso={trashedAt} />}
        <Property name="Folder">
          <Link className="link" to={folderHref(parent?.id)}>
            {parent ? nameText(parent.name) : 'My Drive'}
          </Link>
        </Property>
        {sha256 && (
          <Property name="SHA-256">
            <CopyValue value={sha256} short={`${sha256.slice(0, 8)}…${sha256.slice(-4)}`} label="Copy SHA-256" />
          </Property>
        )}
      </dl>
    </section>
  )
}

/** Native documents have none. */
function Bytes({ bytes }: { bytes: number | null | undefined }) {
  if (bytes != null) return <span title={formatExactBytes(bytes)}>{formatBytes(bytes)}</span>
  return (
    <span role="img" aria-label="No size">
      –
    </span>
  )
}

const folderHref = (id: string | undefined): string =>
  id ? `/file-manager/my-drive?folder=${encodeURIComponent(id)}` : '/file-manager/my-drive'

type CopyCheck = { readonly state: string; readonly checkedAt: string | null | undefined }

/** When all pieces were last verified: the oldest check of any copy. */
function Checked({ copies }: { copies: readonly CopyCheck[] }) {
  const times = copies.map(({ checkedAt }) => checkedAt).filter((time) => time != null)
  const [oldest] = times.toSorted()
  if (!oldest) return null
  const areAll = times.length === copies.length
  return (
    <Property name="Checked">
      <time dateTime={oldest} title={formatFullDate(oldest)}>
        {formatDay(oldest)}
      </time>
      {areAll ? ', all pieces match' : `, ${times.length} of ${copies.length} copies`}
    </Property>
  )
}

function DateProperty({ name, iso, who = null }: { name: string; iso: string; who?: string | null }) {
  return (
    <Property name={name}>
      <time dateTime={iso} title={formatFullDate(iso)}>
        {formatDay(iso)}
      </time>
      {who !== null && ` by ${who}`}
    </Property>
  )
}
