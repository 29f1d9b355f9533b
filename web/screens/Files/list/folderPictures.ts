import { fetchQuery, graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { folderPicturesQuery } from '../../../__generated__/folderPicturesQuery.graphql.ts'

export type FolderPicture = {
  /** Path of a small picture. */
  readonly url: string
  /** Of the file that it shows. */
  readonly category: string
}

type Waiting = { readonly ids: Set<string>; readonly answer: Promise<ReadonlyMap<string, readonly FolderPicture[]>> }

const waiting = new WeakMap<IEnvironment, Waiting>()

/** The newest pictures of a folder. Folders that are drawn together are asked for together. @throws Error when the server cannot be reached */
export async function folderPictures(environment: IEnvironment, id: string): Promise<readonly FolderPicture[]> {
  const batch = waiting.get(environment) ?? begin(environment)
  batch.ids.add(id)
  return (await batch.answer).get(id) ?? []
}

function begin(environment: IEnvironment): Waiting {
  const ids = new Set<string>()
  const answer = Promise.resolve().then(() => {
    waiting.delete(environment)
    return ask(environment, [...ids])
  })
  const batch = { ids, answer }
  waiting.set(environment, batch)
  return batch
}

async function ask(environment: IEnvironment, ids: readonly string[]) {
  const data = await fetchQuery<folderPicturesQuery>(
    environment,
    graphql`
      query folderPicturesQuery($ids: [ID!]!) {
        nodes(ids: $ids) {
          ... on File {
            id
            folderThumbnails(size: MEDIUM) {
              url
              category
            }
          }
        }
      }
    `,
    { ids },
    { networkCacheConfig: { force: true } },
  ).toPromise()
  return new Map(
    (data?.nodes ?? []).flatMap((node) => (node?.id ? [[node.id, node.folderThumbnails ?? []] as const] : [])),
  )
}
