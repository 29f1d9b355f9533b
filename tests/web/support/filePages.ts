import type { MockEnvironment } from 'relay-test-utils'

type Page = { readonly from: number; readonly count: number; readonly hasNext: boolean; readonly more?: object }

/** Lets promises that hang on an answer run. */
export const settle = () => new Promise((resolve) => setTimeout(resolve))

/** A file as the list asks for it. */
function fileNode(number: number) {
  const name = `file ${number}.txt`
  return {
    __typename: 'File',
    __isNode: 'File',
    id: `file_${number}`,
    name,
    kind: 'FILE',
    category: 'TEXT',
    mimeType: 'text/plain',
    size: 10,
    state: 'STORED',
    stateReason: null,
    starred: false,
    color: null,
    tags: [],
    updatedAt: '2026-11-21T09:41:00.000Z',
    childCount: null,
    exportTypes: [],
    account: null,
    nativeKind: null,
    webUrl: null,
    rights: null,
    downloadUrl: `/api/v1/files/file_${number}/download`,
    inlineUrl: null,
    groupCloud: { id: 'group_1', name: 'My Cloud' },
    storedIn: [{ id: 'account_1', hue: 0 }],
  }
}

/** Answers the list's oldest question that waits with files `from`, `from + 1`, ... */
export async function answerPage(environment: MockEnvironment, { from, count, hasNext, more }: Page): Promise<void> {
  const question = environment.mock
    .getAllOperations()
    .find((operation) => operation.request.node.operation.name === 'filesPageQuery')
  if (!question) throw new Error('The list has asked nothing')
  const numbers = Array.from({ length: count }, (_, step) => from + step)
  environment.mock.resolve(question, {
    data: {
      viewer: {
        id: 'user_1',
        files: {
          edges: numbers.map((number) => ({ node: { ...fileNode(number), ...more } })),
          pageInfo: { endCursor: count > 0 ? `cursor-${from + count - 1}` : null, hasNextPage: hasNext },
        },
      },
    },
  })
  await settle()
}
