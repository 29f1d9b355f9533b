import { Suspense, useState } from 'react'
import { graphql, useRelayEnvironment } from 'react-relay'
import { Link } from 'react-router'
import type { VersionsTabQuery, VersionsTabQuery$data } from '../../__generated__/VersionsTabQuery.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { useLiveFile } from '../Details/useLiveFile.ts'
import { previewKind } from '../Preview/previewKind.ts'
import { messages } from './messages.ts'
import { restoreVersion } from './restoreVersion.ts'
import { type Version, VersionItem } from './VersionItem.tsx'
import styles from './Versions.module.css'

const CompareDialog = lateDialog(() => import('./CompareDialog.tsx').then((file) => file.CompareDialog))
const DeleteDialog = lateDialog(() => import('./DeleteDialog.tsx').then((file) => file.DeleteDialog))

const query = graphql`
  query VersionsTabQuery($id: ID!) {
    viewer {
      versionSettings { days most }
      file(id: $id) {
        id
        kind
        name
        category
        mimeType
        inlineUrl
        home
        trashedAt
        versions {
          id
          isCurrent
          size
          sha256
          createdAt
          source
          by
          byKey
          restoredFrom
          downloadUrl
        }
      }
    }
  }
`

type File = NonNullable<NonNullable<VersionsTabQuery$data['viewer']>['file']>

/** All versions of a file, newest first, with what can be done with the earlier ones. Updated live. Import it lazily. */
export function VersionsTab({ id }: { id: string }) {
  const details = { name: 'VersionsTabQuery', id, fetchPolicy: 'store-and-network' } as const
  const { viewer } = useLiveFile<VersionsTabQuery>(query, details)
  if (!viewer?.file) return null
  if (viewer.file.home === 'ACCOUNT') return <p className={`${styles.foot} meta subtle`}>{messages.none}</p>
  return <Versions file={viewer.file} settings={viewer.versionSettings} />
}

type Chosen = { readonly what: 'compare' | 'delete'; readonly version: Version }

function Versions({ file, settings: { days, most } }: { file: File; settings: { days: number; most: number } }) {
  const environment = useRelayEnvironment()
  const [openId, setOpenId] = useState<string | null>(null)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const { versions, name } = file
  const [current] = versions
  const kind = previewKind(file)
  const isText = kind === 'text' || kind === 'markdown' || kind === 'svg'
  const restore = (version: Version) => void restoreVersion(environment, version)
  const close = () => setChosen(null)
  // Versions with the same bytes take room once, and the current one is the file itself.
  const bytesByContent = new Map(versions.map(({ sha256, size }) => [sha256, Number(size)]))
  if (current) bytesByContent.delete(current.sha256)
  const bytes = [...bytesByContent.values()].reduce((sum, size) => sum + size, 0)
  return (
    <>
      <ol className={styles.list} aria-label={messages.list}>
        {versions.map((version) => (
          <VersionItem
            key={version.id}
            version={version}
            open={openId === version.id}
            onOpen={() => setOpenId(version.id)}
            onRestore={file.trashedAt == null ? () => restore(version) : undefined}
            onDelete={() => setChosen({ what: 'delete', version })}
            onCompare={isText ? () => setChosen({ what: 'compare', version }) : undefined}
            canPreview={kind !== 'none' && file.inlineUrl != null}
          />
        ))}
      </ol>
      <section className={styles.foot}>
        <div className="hstack justify-between meta">
          <span className="subtle num">
            {versions.length > 1 ? messages.earlier(versions.length - 1, formatBytes(bytes)) : messages.onlyOne}
          </span>
          <Link className="link" to="/settings#versions">
            {messages.settings}
          </Link>
        </div>
        <p className="meta subtle">{messages.kept(days, most)}</p>
      </section>
      <Suspense>
        {chosen?.what === 'delete' && <DeleteDialog version={chosen.version} onClose={close} />}
        {chosen?.what === 'compare' && current && (
          <CompareDialog
            name={name}
            old={chosen.version}
            current={current}
            onClose={close}
            onRestore={file.trashedAt == null ? () => restore(chosen.version) : undefined}
          />
        )}
      </Suspense>
    </>
  )
}
