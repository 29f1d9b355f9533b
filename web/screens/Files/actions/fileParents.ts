import { fetchQuery, graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { fileParentsQuery } from '../../../__generated__/fileParentsQuery.graphql.ts'
import { CHUNK } from '../../../relay/runMutation.ts'
import type { FileListStore } from '../list/fileListStore.ts'

const query = graphql`
  query fileParentsQuery($ids: [ID!]!) {
    nodes(ids: $ids) {
      ... on File {
        id
        parent {
          id
        }
      }
    }
  }
`

/** The folder of each file, null for the root. What the server does not know any more is left out. @throws Error */
async function parentsOf(environment: IEnvironment, ids: readonly string[]): Promise<Map<string, string | null>> {
  const parents = new Map<string, string | null>()
  for (let start = 0; start < ids.length; start += CHUNK) {
    const part = ids.slice(start, start + CHUNK)
    const data = await fetchQuery<fileParentsQuery>(environment, query, { ids: part }).toPromise()
    for (const node of data?.nodes ?? []) if (node?.id) parents.set(node.id, node.parent?.id ?? null)
  }
  return parents
}

/** The parent folders of rows. Known for rows of an open folder, fetched for others. */
export async function originsOf(
  environment: IEnvironment,
  list: FileListStore,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  const { view, query, folder } = list.key
  const areHere = view === 'DRIVE' && !query && ids.every((id) => list.model.get(id))
  if (areHere) return new Map(ids.map((id) => [id, folder] as const))
  return parentsOf(environment, ids)
}
