import { Suspense } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import { Link } from 'react-router'
import type { ShortcutTargetQuery } from '../../__generated__/ShortcutTargetQuery.graphql.ts'
import { nameText } from '../../lib/nameText.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'

/** What a shortcut points to, as a link; as text if it is gone or not shown here. Its account may have to be asked. */
export function ShortcutTarget({ id }: { readonly id: string }) {
  return (
    <RetryBoundary>
      <Suspense fallback={<span role="status">Looking it up…</span>}>
        <Target id={id} />
      </Suspense>
    </RetryBoundary>
  )
}

function Target({ id }: { readonly id: string }) {
  const { viewer } = useLazyLoadQuery<ShortcutTargetQuery>(
    graphql`
      query ShortcutTargetQuery($id: ID!) {
        viewer {
          file(id: $id) {
            shortcut {
              message
              webUrl
              target { id name kind }
            }
          }
        }
      }
    `,
    { id },
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  const shortcut = viewer?.file?.shortcut
  const target = shortcut?.target
  if (target) {
    return (
      <Link className="link" to={hrefOf(target)}>
        {nameText(target.name)}
      </Link>
    )
  }
  return (
    <span>
      {shortcut?.message ?? 'This shortcut does not exist any more.'}{' '}
      {shortcut?.webUrl && (
        <a className="link" href={shortcut.webUrl} target="_blank" rel="noopener noreferrer">
          Open it there
        </a>
      )}
    </span>
  )
}

function hrefOf({ id, kind }: { readonly id: string; readonly kind: string }): string {
  const place = kind === 'FOLDER' ? 'my-drive?folder=' : '?preview='
  return `/file-manager${kind === 'FOLDER' ? '/' : ''}${place}${encodeURIComponent(id)}`
}
