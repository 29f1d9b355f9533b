import { describe } from 'vitest'
import { githubModule } from '../../server/providers/github/module.ts'
import { createHttp, type Http, type HttpRequest } from '../../server/providers/shared/http.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createGithub, GITHUB_APP } from '../fakes/github/github.ts'
import type { DriverFacts } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { CHUNK, emulatedHarness, PAGE } from './emulated.ts'
import { type Harness, NO_THUMBNAILS } from './harness.ts'
import { findMistakes, type HttpMistake, headless, without } from './httpMistakes.ts'

const FACTS: DriverFacts = {
  capabilities: {
    hash: 'sha256',
    duplicateNames: true,
    caseSensitive: true,
    maxObjectBytes: 2_147_483_647,
    maxNameLength: 200,
    nameUnit: 'utf16',
    maxConcurrency: 8,
    maxConcurrentWrites: 2,
    resumable: false,
  },
  optional: ['move'],
}
const UPLOAD = 'assets.upload'
const user = 'ann@example.com'
const repository = 'store'

const NO_FOLDERS = 'Releases have no folders.'
const LACKS = {
  'says NotFound of a folder that is gone': NO_FOLDERS,
  'keeps folders apart': NO_FOLDERS,
  'moves and renames': NO_FOLDERS,
}

async function makeHarness(wrap: (http: Http) => Http = (http) => http): Promise<Harness> {
  const github = createGithub()
  const emulators = await startEmulators({ services: [github] })
  const { addUser, addRepository, install, mintToken, revokeUser, settings } = github.commands
  addUser({ email: user, login: 'ann' })
  const { id } = addRepository({ user, repository })
  install({ user, repositories: [repository] })
  // Lists go over several releases.
  settings({ assetsPerRelease: PAGE + 3 })
  const { open } = githubModule({
    http: wrap(createHttp({ emulatorUrl: new URL(emulators.url) })),
    clientId: GITHUB_APP.id,
    clientSecret: GITHUB_APP.secret,
    limits: { pageSize: PAGE },
  })
  const { access_token: accessToken } = mintToken({ user })
  const harness = emulatedHarness({
    emulators,
    operations: {
      whole: UPLOAD,
      part: UPLOAD,
      last: UPLOAD,
      any: UPLOAD,
      download: 'download',
      remove: 'assets.delete',
    },
    chunkBytes: CHUNK,
    open: () => open({ accessToken, repository: String(id), expiresAt: null }),
    expireAccess: () => revokeUser({ user }),
  })
  return { ...harness, lacks: LACKS }
}

const NO_SESSIONS = 'An upload to GitHub is one request, which cannot be continued.'
const NO_LIST = 'Only what Skypool has stored is listed: the rest of a repository is not shown.'
const NO_COPY = 'GitHub makes no copies of assets.'

describeDriver('GitHub', () => makeHarness(), {
  facts: FACTS,
  skips: {
    ...NO_THUMBNAILS,
    ...LACKS,
    'tells names apart by case, or does not, as it says': 'Names may be equal.',
    'lists everything in the account once, over several pages': NO_LIST,
    'says of everything where it is, up to the root, and does not list the root': NO_LIST,
    'lists nothing that was deleted or is in the trash': NO_LIST,
    'gives the same complete details of an entry in every list': NO_LIST,
    'gives a file another revision when its content changes': NO_LIST,
    'continues a listing of everything in another process': NO_LIST,
    'says CursorReset of a place in a listing of everything that it does not know': NO_LIST,
    'reports as changes what changed during a listing of everything': NO_LIST,
    'says QuotaExceeded when the account is full': 'GitHub has no quota of releases.',
    'continues an upload in another process, from what was confirmed': NO_SESSIONS,
    'starts over when its session was abandoned': NO_SESSIONS,
    'keeps a session that a second cut interrupts': NO_SESSIONS,
    'saves its session before it sends': NO_SESSIONS,
    'exports a document in the types that it names, and in no other': 'All files have bytes.',
    'moves to the trash and restores, also without the folder': 'GitHub has no trash.',
    'shares by a link, and ends it': 'The repository is private.',
    'copies without the bytes': NO_COPY,
    'finds a copy by its session, and removes it': NO_COPY,
    'sends what could not be copied': NO_COPY,
    'replaces nothing by a move or a copy': NO_COPY,
    'tells what changed since a cursor': NO_LIST,
    'tells where an entry went': NO_LIST,
    'says CursorReset of a cursor that it does not know': NO_LIST,
  },
})

const LISTS = 'lists every entry once, over more than two pages'
const FINDS = 'finds an upload again whose answer was lost'
const CONTENT_HOST = 'release-assets.githubusercontent.com'

const queried =
  (name: string, value: string) =>
  (request: HttpRequest, { host }: URL): HttpRequest => {
    if (host !== 'uploads.github.com') return request
    const url = new URL(request.url)
    url.searchParams.set(name, value)
    return { ...request, url }
  }

const MISTAKES: Readonly<Record<string, HttpMistake>> = {
  'sends its access token to the host of the content': {
    foundBy: 'keeps one byte',
    request: (request, { host }) =>
      host === CONTENT_HOST ? { ...request, headers: { ...request.headers, authorization: 'Bearer x' } } : request,
  },
  'reads the whole content instead of a range': {
    foundBy: 'reads ranges, both ends included',
    request: (request, { host }) => (host === CONTENT_HOST ? headless(request, 'range') : request),
  },
  'asks for what GitHub knows of an asset instead of its content': {
    foundBy: 'keeps one byte',
    request: (request) =>
      request.headers?.accept === 'application/octet-stream' ? headless(request, 'accept') : request,
  },
  'does not name itself': {
    foundBy: 'knows who it is, the same in every process',
    request: (request) => headless(request, 'user-agent'),
  },
  'reads the first page of a release alone': {
    foundBy: LISTS,
    request: (request, { pathname, searchParams }) =>
      pathname.endsWith('/assets') && Number(searchParams.get('page')) > 1 ? null : request,
    instead: '[]',
  },
  'makes the next release under the name of the first': {
    foundBy: LISTS,
    request: (request) =>
      typeof request.body === 'string'
        ? { ...request, body: request.body.replace(/"tag_name":"skypool-\d+"/, '"tag_name":"skypool-1"') }
        : request,
  },
  'lists one release alone': {
    foundBy: LISTS,
    response: (text, { pathname }, { method }) =>
      method === 'GET' && pathname.endsWith('/releases') ? JSON.stringify(JSON.parse(text).slice(0, 1)) : null,
  },
  'uses the name of the file for the asset': {
    foundBy: 'replaces nothing: an equal name is a Conflict, or a second entry',
    request: queried('name', 'report.txt'),
  },
  'does not keep the name of the file': {
    foundBy: 'keeps odd names',
    request: (request, { host }) => (host === 'uploads.github.com' ? without(request, 'label') : request),
  },
  'sends an empty file': {
    foundBy: 'keeps no bytes',
    request: (request, { host, searchParams }) =>
      host === 'uploads.github.com' && searchParams.get('name')?.endsWith('.empty')
        ? { ...request, body: '' }
        : request,
  },
  'does not look for the asset of an earlier attempt': {
    foundBy: FINDS,
    request: (request, { pathname, searchParams }) =>
      request.method === 'GET' && pathname.endsWith('/assets') && searchParams.get('page') === '1' ? null : request,
    instead: '[]',
  },
  'shows what is left of failed uploads': {
    foundBy: 'shows nothing of a content that breaks',
    response: (text) => text.replaceAll('"starter"', '"uploaded"'),
  },
}

describe('the suite, with a driver of GitHub that has one mistake', () => findMistakes(MISTAKES, makeHarness))
