import { describe, expect } from 'vitest'
import { boxModule } from '../../server/providers/box/module.ts'
import { createHttp, type Http, type HttpRequest } from '../../server/providers/shared/http.ts'
import { BOX_CLIENT, createBox } from '../fakes/box/box.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { type DriverFacts, OPTIONAL } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { CHUNK, emulatedHarness, PAGE } from './emulated.ts'
import type { Harness } from './harness.ts'
import { findMistakes, type HttpMistake, headless, without } from './httpMistakes.ts'

const FACTS: DriverFacts = {
  capabilities: {
    hash: 'sha1',
    duplicateNames: false,
    caseSensitive: false,
    maxObjectBytes: 536_870_912_000,
    maxNameLength: 255,
    nameUnit: 'utf16',
    refusesName: expect.any(Function),
    overwrites: true,
    maxConcurrency: 8,
    maxConcurrentWrites: 3,
    resumable: true,
  },
  optional: OPTIONAL.filter((method) => method !== 'export'),
}
const OPERATIONS = {
  whole: 'files.upload',
  part: 'upload_sessions.part',
  last: 'upload_sessions.commit',
  download: 'download',
  remove: 'trash',
}
const user = 'ann@example.com'

async function makeHarness(wrap: (http: Http) => Http = (http) => http): Promise<Harness> {
  const box = createBox()
  const emulators = await startEmulators({ services: [box] })
  box.commands.addUser({ email: user, quotaBytes: 1024 ** 3 })
  box.commands.strictDownloads({ on: true })
  box.commands.sessionSizes({ partBytes: CHUNK, minSessionBytes: 1001 })
  const { open } = boxModule({
    http: wrap(createHttp({ emulatorUrl: new URL(emulators.url) })),
    clientId: BOX_CLIENT.id,
    clientSecret: BOX_CLIENT.secret,
    limits: { smallBytes: 1000, memoryBytes: 500, pageSize: PAGE, eventsPerPage: PAGE },
  })
  const token = box.commands.mintToken({ user })
  const harness = emulatedHarness({
    emulators,
    operations: OPERATIONS,
    chunkBytes: CHUNK,
    open: () => open({ accessToken: token.access_token, refreshToken: token.refresh_token, expiresAt: null }),
    expireAccess: () => box.commands.expireAccessTokens({ user }),
    fillQuota: () => box.commands.setQuota({ user, quotaBytes: 0 }),
    trash: (ref) => box.commands.trash({ user, id: ref.slice(1) }),
    overwrite: (ref, text) => box.commands.alter({ user, id: ref.slice(1), text }),
    unfinished: box.commands.sessions,
  })
  // The request that ends an upload lists its parts.
  const isContent = (operation: string) =>
    operation !== OPERATIONS.last && Object.values(OPERATIONS).includes(operation)
  const received = () => emulators.log().filter(({ operation }) => isContent(operation))
  return { ...harness, receivedBytes: () => received().reduce((sum, { bytesIn }) => sum + bytesIn, 0) }
}

describeDriver('Box', () => makeHarness(), {
  facts: FACTS,
  skips: {
    'exports a document in the types that it names, and in no other': 'Box has no documents without a file.',
  },
})

const LISTS = 'lists every entry once, over more than two pages'
const STORES = 'keeps three chunks'
const TELLS = 'tells what changed since a cursor'

const MISTAKES: Readonly<Record<string, HttpMistake>> = {
  'sends its access token to the host of the content': {
    foundBy: 'keeps one byte',
    request: (request, { host }) =>
      host === 'dl.boxcloud.com' ? { ...request, headers: { ...request.headers, authorization: 'Bearer x' } } : request,
  },
  'reads the whole content instead of a range': {
    foundBy: 'reads ranges, both ends included',
    request: (request, { host }) => (host === 'dl.boxcloud.com' ? headless(request, 'range') : request),
  },
  'reads a folder without markers, and so its first page alone': {
    foundBy: LISTS,
    request: (request) => without(request, 'usemarker'),
  },
  'does not name the fields that it needs': {
    foundBy: 'gives the same complete details of an entry in every list',
    request: (request, { pathname }) => (pathname.endsWith('/items') ? without(request, 'fields') : request),
  },
  'sends a part without its digest': {
    foundBy: STORES,
    request: (request) => (request.method === 'PUT' ? headless(request, 'digest') : request),
  },
  'ends an upload without the digest of the whole': {
    foundBy: STORES,
    request: (request, { pathname }) => (pathname.endsWith('/commit') ? headless(request, 'digest') : request),
  },
  'ends an upload without the list of its parts': {
    foundBy: STORES,
    request: (request, { pathname }) => (pathname.endsWith('/commit') ? { ...request, body: '{"parts":[]}' } : request),
  },
  'does not ask which parts there are': {
    foundBy: 'continues an upload in another process, from what was confirmed',
    request: (request, { pathname }) => (pathname.endsWith('/parts') ? null : request),
    instead: '{"entries":[],"total_count":0}',
  },
  'does not ask what has the name': {
    foundBy: 'finds an upload again whose answer was lost',
    request: (request) => (request.method === 'OPTIONS' ? null : request),
  },
  'sends the content before the attributes': {
    foundBy: 'keeps one byte',
    request: (request, { pathname }) => (pathname.endsWith('/files/content') ? swapped(request) : request),
  },
  'reads events from now on': {
    foundBy: TELLS,
    request(request) {
      const url = new URL(request.url)
      if (url.searchParams.has('stream_position')) url.searchParams.set('stream_position', 'now')
      return { ...request, url }
    },
  },
  'rounds the position of events': {
    foundBy: TELLS,
    response: (text) =>
      text.replace(/("next_stream_position":"?)(\d+)/, (_all, start, at) => start + String(Number(at))),
  },
  'takes no folder away that contains something': {
    foundBy: 'moves to the trash and restores, also without the folder',
    request: (request) => without(request, 'recursive'),
  },
}

/** Names another part as the attributes, with the same length. */
function swapped(request: HttpRequest): HttpRequest {
  const { body } = request
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return request
  async function* renamed(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      yield Buffer.from(
        Buffer.from(chunk).toString('latin1').replace('name="attributes"', 'name="later____1"'),
        'latin1',
      )
    }
  }
  return { ...request, body: { length: body.length, bytes: renamed(body.bytes) } }
}

describe('the suite, with a driver of Box that has one mistake', () => findMistakes(MISTAKES, makeHarness))
