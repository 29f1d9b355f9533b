import { fetchQuery, graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { shortcutsQuery, shortcutsQuery$data } from '../../../__generated__/shortcutsQuery.graphql.ts'
import { reasonOf } from '../../../relay/runMutation.ts'
import { toast } from '../../../ui/toast.ts'

const query = graphql`
  query shortcutsQuery($id: ID!) {
    viewer {
      file(id: $id) {
        shortcut {
          state
          message
          webUrl
          target {
            id
            name
            kind
            size
            downloadUrl
            nativeKind
            exportTypes
          }
        }
      }
    }
  }
`

type Shortcut = NonNullable<NonNullable<NonNullable<shortcutsQuery$data['viewer']>['file']>['shortcut']>
export type Target = NonNullable<Shortcut['target']>

/** Calls `use` with what a shortcut points to; otherwise a toast says why not, with the way to open it at its provider. */
export async function followShortcut(
  environment: IEnvironment,
  id: string,
  use: (target: Target) => void,
): Promise<void> {
  try {
    const data = await fetchQuery<shortcutsQuery>(
      environment,
      query,
      { id },
      { networkCacheConfig: { force: true } },
    ).toPromise()
    const shortcut = data?.viewer?.file?.shortcut
    const url = shortcut?.webUrl
    if (shortcut?.target) use(shortcut.target)
    else {
      toast.info(shortcut?.message ?? 'This shortcut does not exist any more.', {
        ...(url && {
          action: { label: 'Open there', onClick: () => window.open(url, '_blank', 'noopener,noreferrer') },
        }),
      })
    }
  } catch (error) {
    toast.error('The shortcut could not be opened', { description: reasonOf(error) })
  }
}
