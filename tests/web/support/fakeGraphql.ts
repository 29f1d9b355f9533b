import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildSchema, graphql } from 'graphql'

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
const operations = JSON.parse(readFileSync('web/__generated__/persisted.json', 'utf8')) as Record<string, string>

/** The server, where a test says nothing else. */
const SERVER = { version: '1', uploadTypes: null, mail: true, registration: 'OPEN', invitation: null }

/** The root of the answers, by field; functions get the arguments. */
type Root = Record<string, unknown>
type Seen = { name: string; variables: Record<string, unknown> }

/** Answers persisted operations over HTTP from `root`, by the real schema; `failWith` is the status of every answer while it is set. */
export async function startFakeGraphql(root: Root) {
  const state = { root, failWith: null as number | null, seen: [] as Seen[] }
  const streams = new Set<ServerResponse>()
  const server = createServer((request, response) => void answer(request, response, state, streams))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    state,
    streams,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

export type FakeGraphql = Awaited<ReturnType<typeof startFakeGraphql>>

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  state: { root: Root; failWith: number | null; seen: Seen[] },
  streams: Set<ServerResponse>,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString())
  if (request.headers.accept === 'text/event-stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
    streams.add(response)
    return
  }
  // Asked by every page for its transfers, whenever that code is loaded.
  if (body.operationName !== 'JobsWatchQuery') state.seen.push({ name: body.operationName, variables: body.variables })
  if (state.failWith) {
    response.writeHead(state.failWith).end('broken')
    return
  }
  const source = operations[body.extensions.persistedQuery.sha256Hash] ?? ''
  const rootValue = { ...state.root, server: { ...SERVER, ...(state.root.server as object | undefined) } }
  const result = await graphql({ schema, source, rootValue, variableValues: body.variables })
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
}

const GB = 1024 ** 3
const quota = { usedBytes: 5 * GB, reservedBytes: GB, totalBytes: 15 * GB, freeBytes: 9 * GB }

/** A signed-in user with one local account and no files. */
export const fakeViewer = {
  __typename: 'User',
  id: 'user_1',
  fullName: 'Maren Holt',
  email: 'maren@example.com',
  avatarUrl: null,
  createdAt: '2026-01-01T00:00:00Z',
  role: 'MEMBER',
  administration: null,
  versionSettings: { days: 30, most: 100, versions: 0, bytes: 0 },
  groupClouds: [],
  transfers: [],
  jobs: [],
  transfersConnection: { edges: [] },
  accounts: [
    {
      id: 'acc_1',
      provider: 'local',
      providerName: 'This server',
      glyph: 'SERVER',
      name: 'This server',
      email: null,
      status: 'CONNECTED',
      hue: 0,
      quota,
      searchContents: true,
      index: null,
    },
  ],
  quota,
  files: { edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: false } },
  file: null,
}
