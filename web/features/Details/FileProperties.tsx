import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { FileProperties_file$key } from '../../__generated__/FileProperties_file.graphql.ts'
import { formatBytes, formatExactBytes } from '../../lib/formatBytes.ts'
import { formatDay, formatFullDate } from '../../lib/formatDate.ts'
import { CopyValue } from './CopyValue.tsx'
import { Property } from './Property.tsx'
import { counted } from './words.ts'

export function FileProperties({ file }: { file: FileProperties_file$key }) {
  const { kind, size, mimeType, sha256, createdAt, updatedAt, trashedAt, parent, childCount, contentSize } =
    useFragment(
      graphql`
      fragment FileProperties_file on File {
        kind
        size
        mimeType
        sha256
        createdAt
        updatedAt
        trashedAt
        childCount
        contentSize
        parent { id name }
      }
    `,
      file,
    )
  const bytes = kind === 'FOLDER' ? contentSize : size
  return (
    <section className="d-sec" aria-label="Properties">
      <dl className="props num">
        {bytes != null && (
          <Property name="Size">
            <span title={formatExactBytes(bytes)}>{formatBytes(bytes)}</span>
          </Property>
        )}
        {kind === 'FOLDER' && <Property name="Holds">{counted(childCount ?? 0, 'item')}</Property>}
        {mimeType && <Property name="Type">{mimeType}</Property>}
        <DateProperty name="Modified" iso={updatedAt} />
        <DateProperty name="Added" iso={createdAt} />
        {trashedAt && <DateProperty name="Deleted" iso={trashedAt} />}
        <Property name="Folder">
          <Link className="link" to={folderHref(parent?.id)}>
            {parent?.name ?? 'My Drive'}
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

const folderHref = (id: string | undefined): string =>
  id ? `/file-manager/my-drive?folder=${encodeURIComponent(id)}` : '/file-manager/my-drive'

function DateProperty({ name, iso }: { name: string; iso: string }) {
  return (
    <Property name={name}>
      <time dateTime={iso} title={formatFullDate(iso)}>
        {formatDay(iso)}
      </time>
    </Property>
  )
}
