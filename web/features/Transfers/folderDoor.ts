import { commitMutation, fetchQuery, graphql } from 'react-relay'
import type { Environment } from 'relay-runtime'
import type { folderDoorCreateMutation } from '../../__generated__/folderDoorCreateMutation.graphql.ts'
import type { folderDoorFindQuery } from '../../__generated__/folderDoorFindQuery.graphql.ts'
import type { FolderAnswer, FolderDoor } from './folderMaker.ts'

/** Finds and creates folders through GraphQL. */
export function createFolderDoor(environment: Environment): FolderDoor {
  return {
    create: (name, parentId) => createFolder(environment, name, parentId),
    find: (name, parentId) => findFolder(environment, name, parentId),
  }
}

function createFolder(environment: Environment, name: string, parentId: string | null): Promise<FolderAnswer> {
  return new Promise((resolve, reject) => {
    commitMutation<folderDoorCreateMutation>(environment, {
      mutation: graphql`
        mutation folderDoorCreateMutation($input: CreateFolderInput!) {
          createFolder(input: $input) {
            __typename
            ... on CreateFolderPayload { file { id name } }
            ... on Error { message }
          }
        }
      `,
      variables: { input: { name, parentId } },
      onCompleted: ({ createFolder: result }) => resolve(answerOf(result)),
      onError: reject,
    })
  })
}

type CreateFolderResult = folderDoorCreateMutation['response']['createFolder']

function answerOf(result: CreateFolderResult): FolderAnswer {
  if (result.__typename === 'CreateFolderPayload' && result.file) return { id: result.file.id }
  if (result.__typename === 'NameTakenError') return { taken: true }
  return { error: result.message ?? 'The folder could not be created. Retry in a moment.' }
}

/** Pages through the folders of that name: search is not limited to a folder, so the parent is compared here. */
async function findFolder(environment: Environment, name: string, parentId: string | null): Promise<string | null> {
  let after: string | null = null
  for (;;) {
    const page: FolderPage | undefined = await readFolders(environment, name, after)
    const match = page?.edges.find(({ node }) => (node.parent?.id ?? null) === parentId && sameName(node.name, name))
    if (match) return match.node.id
    if (!page?.pageInfo.hasNextPage) return null
    after = page.pageInfo.endCursor ?? null
  }
}

type FolderPage = NonNullable<folderDoorFindQuery['response']['viewer']>['files']

async function readFolders(environment: Environment, query: string, after: string | null) {
  const found = await fetchQuery<folderDoorFindQuery>(
    environment,
    graphql`
      query folderDoorFindQuery($query: String!, $after: String) {
        viewer {
          files(view: DRIVE, query: $query, categories: [FOLDER], first: 200, after: $after) {
            edges { node { id name parent { id } } }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    `,
    { query, after },
    { fetchPolicy: 'network-only' },
  ).toPromise()
  return found?.viewer?.files
}

const sameName = (a: string, b: string): boolean =>
  a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase()
