import { describe, expect } from 'vitest'
import { pcloudModule } from '../../server/providers/pcloud/module.ts'
import { createHttp, type Http, type HttpRequest } from '../../server/providers/shared/http.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createPcloud, PCLOUD_CLIENT } from '../fakes/pcloud/pcloud.ts'
import { type DriverFacts, OPTIONAL } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { CHUNK, emulatedHarness, PAGE } from './emulated.ts'
import type { Harness } from './harness.ts'
import { findMistakes, type HttpMistake, headless, without } from './httpMistakes.ts'

const FACTS: DriverFacts = {
  capabilities: {
    hash: 'sha1',
    duplicateNames: false,
    caseSensitive: true,
    maxObjectBytes: null,
    maxNameLength: 255,
    nameUnit: 'utf16',
    refusesName: expect.any(Function),
    overwrites: true,
    maxConcurrency: 8,
    maxConcurrentWrites: 4,
    resumable: true,
  },
  optional: OPTIONAL.filter((method) => !['export', 'trash', 'restore'].includes(method)),
}
const OPERATIONS = {
  whole: 'uploadfile',
  part: 'upload_write',
  last: 'upload_save',
  download: 'download',
  remove: 'deletefile',
}
const user = 'ann@example.com'

async function makeHarness(location: 1 | 2 = 2, wrap: (http: Http) => Http = (http) => http): Promise<Harness> {
  const pcloud = createPcloud()
  const emulators = await startEmulators({ services: [pcloud] })
  const { addUser, mintToken, revokeUser, setQuota, trash, alter, uploads } = pcloud.commands
  addUser({ email: user, quotaBytes: 1024 ** 3, location })
  const { open } = pcloudModule({
    http: wrap(createHttp({ emulatorUrl: new URL(emulators.url) })),
    clientId: PCLOUD_CLIENT.id,
    clientSecret: PCLOUD_CLIENT.secret,
    limits: { chunkBytes: CHUNK, smallBytes: 1000, pageSize: PAGE },
  })
  const { access_token: accessToken, hostname } = mintToken({ user })
  const harness = emulatedHarness({
    emulators,
    operations: OPERATIONS,
    chunkBytes: CHUNK,
    open: () => open({ accessToken, hostname, expiresAt: null }),
    expireAccess: () => revokeUser({ user }),
    fillQuota: () => setQuota({ user, quotaBytes: 0 }),
    trash: (id) => trash({ user, id }),
    overwrite: (id, text) => alter({ user, id, text }),
    unfinished: uploads,
  })
  return { ...harness, keepsHash: false }
}

const SKIPS = {
  'exports a document in the types that it names, and in no other': 'Every entry of pCloud is a file or a folder.',
  'moves to the trash and restores, also without the folder': 'The trash of pCloud is closed to apps.',
  'says the hash of what is there': 'Metadata of pCloud has no checksum: an upload asks for it.',
  'says TooLarge before it reads a content that no account takes': 'The API of pCloud names no largest file.',
}
describeDriver('pCloud in Europe', () => makeHarness(2), { facts: FACTS, skips: SKIPS })
describeDriver('pCloud in the United States', () => makeHarness(1), { facts: FACTS, skips: SKIPS })

const RESUMES = 'continues an upload in another process, from what was confirmed'

/** Of one method, `change`. */
const of =
  (method: string, change: NonNullable<HttpMistake['request']>): NonNullable<HttpMistake['request']> =>
  (request, url) =>
    url.pathname === `/${method}` ? change(request, url) : request

const renamed =
  (name: string) =>
  (request: HttpRequest, url: URL): HttpRequest => ({ ...request, url: `https://${url.host}/${name}${url.search}` })

const MISTAKES: Readonly<Record<string, HttpMistake>> = {
  'asks the host of the other region': {
    foundBy: 'knows who it is, the same in every process',
    request: (request, { href }) => ({ ...request, url: href.replace('//eapi.', '//api.') }),
  },
  'takes a result that is no success for one': {
    foundBy: 'says NotFound of what is gone',
    response: (text) => text.replace('"result":2009', '"result":0'),
  },
  'takes an invalid token for a failing service': {
    foundBy: 'says AuthExpired when access has ended',
    response: (text) => text.replace('"result":2094', '"result":5000'),
  },
  'overwrites what has the name': {
    foundBy: 'replaces nothing: an equal name is a Conflict, or a second entry',
    request: (request) => without(request, 'renameifexists'),
  },
  'copies over what has the name': {
    foundBy: 'replaces nothing by a move or a copy',
    request: (request) => without(request, 'noover'),
  },
  'moves over what has the name': {
    foundBy: 'replaces nothing by a move or a copy',
    response: (text, { pathname }) => (pathname === '/listfolder' ? text.replaceAll('"taken.bin"', '"other"') : text),
  },
  'sends an empty file as a request without a body': {
    foundBy: 'keeps no bytes',
    request: of('uploadfile', (request) => ({ ...request, method: 'PUT', body: '' })),
  },
  'does not ask how many bytes have arrived': {
    foundBy: RESUMES,
    request: of('upload_info', () => null),
    instead: '{"result":0,"size":0}',
  },
  'continues behind the end of what has arrived': {
    foundBy: RESUMES,
    request: of('upload_info', () => null),
    instead: `{"result":0,"size":${2 * CHUNK}}`,
  },
  'does not compare what has the name with what was sent': {
    foundBy: 'finds an upload again whose answer was lost',
    request: of('checksumfile', () => null),
    instead: '{"result":0}',
  },
  'reads the whole content instead of a range': {
    foundBy: 'reads ranges, both ends included',
    request: (request, { host }) => (host.startsWith('p-') ? headless(request, 'range') : request),
  },
  'reads events from now on': {
    foundBy: 'tells what changed since a cursor',
    request: of('diff', (request, url) => {
      url.searchParams.set('last', '0')
      return { ...request, url }
    }),
  },
  'makes a folder each time': {
    foundBy: 'makes a folder once',
    request: of('createfolderifnotexists', renamed('createfolder')),
  },
  'makes a link each time': {
    foundBy: 'shares by a link, and ends it',
    request: of('listpublinks', () => null),
    instead: '{"result":0,"publinks":[]}',
  },
}

describe('the suite, with a driver of pCloud that has one mistake', () =>
  findMistakes(MISTAKES, (wrap) => makeHarness(2, wrap)))
