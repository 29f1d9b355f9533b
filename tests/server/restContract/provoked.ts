import type { ProblemCode } from '../../../server/rest/errors.ts'
import { ACCOUNT_PROBLEMS } from './accountProblems.ts'
import { ADMINISTRATION_PROBLEMS } from './administrationAnswers.ts'
import { JOB_CONFLICTS, JOB_CYCLE, JOB_KEY_REUSED } from './jobAnswers.ts'
import { KEY_PROBLEMS } from './keyAnswers.ts'
import { PEOPLE_PROBLEMS } from './peopleAnswers.ts'
import { PROTECTION_CONFLICT } from './protectionAnswers.ts'
import {
  append,
  brokenOff,
  CLOUDS,
  call,
  download,
  FILES,
  LOGIN,
  lostBytes,
  type Provoke,
  raw,
  reusedKey,
  stranger,
  tooManyGuesses,
  tooManySignUps,
  unknownHost,
  withoutOrigin,
  withoutStaging,
  wrong,
} from './provoke.ts'
import { SHARE_PROBLEMS } from './shareAnswers.ts'
import { TAG_CONFLICT, TAG_KEY_REUSED, TAG_NAMES_TAKEN } from './tagAnswers.ts'
import { TRANSFER_CONFLICTS } from './transferAnswers.ts'
import * as given from './world.ts'

const TAKEN_NAMES: readonly Provoke[] = [
  ...TAG_NAMES_TAKEN,
  async (world) => {
    const { name } = (await given.makeGroupCloud(world)).body
    return { operation: `POST ${CLOUDS}`, answer: await given.makeGroupCloud(world, name.toUpperCase()) }
  },
  async (world) => {
    const { name } = (await given.makeGroupCloud(world)).body
    const { id } = (await given.makeGroupCloud(world)).body
    return call(world, `PATCH ${CLOUDS}/{id}`, { at: `${CLOUDS}/${id}`, body: { name } })
  },
  async (world) => {
    const { name } = (await given.makeFolder(world)).body
    return { operation: `POST ${FILES}/folders`, answer: await given.makeFolder(world, name) }
  },
  async (world) => {
    const { name } = (await given.makeFolder(world)).body
    return call(world, `PATCH ${FILES}/{id}`, { at: `${FILES}/${await given.uploaded(world)}`, body: { name } })
  },
  async (world) => {
    const { name } = (await given.upload(world)).body
    return { operation: `POST ${FILES}`, answer: await given.upload(world, name, 'x', { onConflict: 'fail' }) }
  },
  async (world) => {
    const { name } = (await given.upload(world)).body
    const { headers } = await given.begin(world, 4, { filename: name, onConflict: 'fail' })
    const answer = await given.append(world, String(headers.get('location')), 'abcd')
    return { operation: 'PATCH /api/v1/uploads/{id}', answer }
  },
]

const CONFLICTS: readonly Provoke[] = [
  ...KEY_PROBLEMS.CONFLICT,
  ...TRANSFER_CONFLICTS,
  ...JOB_CONFLICTS,
  PROTECTION_CONFLICT,
  TAG_CONFLICT,
  ...SHARE_PROBLEMS.CONFLICT,
  async (world) => {
    const { items } = (await world.browser.request('GET', CLOUDS)).body
    return call(world, `DELETE ${CLOUDS}/{id}`, { at: `${CLOUDS}/${items[0].id}` })
  },
  async (world) => {
    const { items } = (await world.browser.request('GET', CLOUDS)).body
    return call(world, `PATCH ${CLOUDS}/{id}`, { at: `${CLOUDS}/${items[0].id}`, body: { defaultUploadGroup: false } })
  },
  async (world) => {
    const { id, members } = (await given.makeGroupCloud(world)).body
    const [{ accountId }] = members
    await world.browser.request('PATCH', `${CLOUDS}/${id}`, { accountIds: [accountId] })
    const at = `${CLOUDS}/${id}/members/${accountId}`
    return call(world, `PATCH ${CLOUDS}/{id}/members/{accountId}`, { at, body: { draining: true } })
  },
]

const NO_SPACE = { 'x-free-bytes': /^\d+$/ }
/** More than the quota of the test's server. */
export const QUOTA_BYTES = 1024 * 1024

/** Every code of the catalogue by ways to provoke it. */
export const PROVOKED: Readonly<Record<ProblemCode, readonly Provoke[]>> = {
  KEY_REFUSED: KEY_PROBLEMS.KEY_REFUSED,
  PASSWORD_REQUIRED: SHARE_PROBLEMS.PASSWORD_REQUIRED,
  WRONG_PASSWORD: SHARE_PROBLEMS.WRONG_PASSWORD,
  INVALID_TOKEN: PEOPLE_PROBLEMS.INVALID_TOKEN,
  INVALID_INPUT: [
    ...KEY_PROBLEMS.INVALID_INPUT,
    ...PEOPLE_PROBLEMS.INVALID_INPUT,
    ...SHARE_PROBLEMS.INVALID_INPUT,
    wrong('POST /api/v1/auth/register', ['fullName', 'email', 'password'], {
      body: { fullName: '', email: 'nobody', password: 'short' },
    }),
    wrong(`POST ${LOGIN}`, ['password'], { body: { email: 'ada@example.org' } }),
    wrong(`POST ${CLOUDS}`, ['name'], { body: { name: '' } }),
    wrong(`POST ${CLOUDS}`, ['colour'], { body: { name: 'Photos', colour: 'red' } }),
    wrong(`GET ${CLOUDS}`, ['limit'], { at: `${CLOUDS}?limit=0` }),
    wrong(`GET ${CLOUDS}/{id}/placement`, ['size'], { at: `${CLOUDS}/pool_1/placement?size=-1` }),
    wrong(`DELETE ${CLOUDS}/{id}`, ['files'], { at: `${CLOUDS}/pool_1?files=burn` }),
    wrong(`PATCH ${CLOUDS}/{id}/members/{accountId}`, ['draining'], {
      at: `${CLOUDS}/pool_1/members/acct_1`,
      body: {},
    }),
    wrong(`GET ${FILES}`, ['limit', 'view'], { at: `${FILES}?limit=many&view=none` }),
    wrong(`GET ${FILES}`, ['cursor'], { at: `${FILES}?cursor=nonsense` }),
    wrong(`GET ${FILES}`, ['type'], { at: `${FILES}?type=foo,bar` }),
    wrong(`GET ${FILES}/{id}/versions`, ['limit'], { at: `${FILES}/file_1/versions?limit=0` }),
    wrong('GET /api/v1/jobs', ['cursor'], { at: '/api/v1/jobs?cursor=nonsense' }),
    wrong('GET /api/v1/transfers', ['cursor'], { at: '/api/v1/transfers?cursor=nonsense' }),
    wrong(`GET ${FILES}/content-matches`, ['cursor'], { at: `${FILES}/content-matches?q=a&cursor=nonsense` }),
    wrong(`GET ${FILES}/content-matches`, ['q'], { at: `${FILES}/content-matches?q=%20` }),
    wrong(`POST ${FILES}/folders`, ['name'], { body: { name: 'a/b' } }),
    wrong(`POST ${FILES}/copy`, ['ids'], { body: { ids: [], parentId: null } }),
    wrong(`POST ${FILES}/copy`, ['parentId'], { body: { ids: ['file_1'] } }),
    wrong(`POST ${FILES}`, ['file'], { body: new FormData() }),
    wrong('POST /api/v1/uploads', ['upload-metadata'], { headers: { ...given.TUS, 'upload-length': '1' } }),
  ],
  MALFORMED_BODY: [
    (world) => call(world, `POST ${LOGIN}`, { body: '{"email":' }),
    (world) =>
      call(world, `POST ${FILES}`, { body: Buffer.from('x'), headers: { 'content-type': 'multipart/form-data' } }),
    async (world) => ({ operation: null, answer: await raw(world, ['GET / HTTP/1.1', 'no header']) }),
  ],
  UPLOAD_FINAL: [
    async (world) => {
      const at = await given.putTogether(world)
      const headers = { ...given.TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
      return call(world, 'PATCH /api/v1/uploads/{id}', { at, headers, body: Buffer.from('x') })
    },
  ],
  UNAUTHENTICATED: [
    ...KEY_PROBLEMS.UNAUTHENTICATED,
    (world) => stranger(world, `POST ${LOGIN}`, { body: { email: 'nobody@example.org', password: 'a wrong guess' } }),
  ],
  FOREIGN_ORIGIN: [
    (world) => call(world, `POST ${CLOUDS}`, { body: { name: 'x' }, headers: { origin: 'https://evil.example' } }),
    (world) => stranger(world, `POST ${LOGIN}`, { body: {}, headers: { origin: 'null' } }),
  ],
  ORIGIN_REQUIRED: [async (world) => ({ operation: `POST ${CLOUDS}`, answer: await withoutOrigin(world) })],
  NOT_FOUND: [
    ...PEOPLE_PROBLEMS.NOT_FOUND,
    ...SHARE_PROBLEMS.NOT_FOUND,
    async (world) => ({
      operation: `POST ${FILES}/copy`,
      answer: await given.copy(world, [`file_${given.UNKNOWN}`]),
    }),
    async ({ browser }) => ({ operation: null, answer: await browser.request('GET', '/api/v1/nothing') }),
  ],
  METHOD_NOT_ALLOWED: [
    async ({ browser }) => ({
      operation: null,
      answer: await browser.request('PUT', CLOUDS, {}),
      headers: { allow: /^(?=.*\bGET\b)(?=.*\bPOST\b)[A-Z, ]+$/ },
    }),
  ],
  REQUEST_TIMEOUT: [
    async (world) => ({ operation: null, answer: await raw(world, ['GET / HTTP/1.1', 'x: never ends'], '') }),
  ],
  NAME_TAKEN: TAKEN_NAMES,
  EMAIL_TAKEN: [
    async (world) => {
      const { email } = await given.register(world)
      return { operation: 'POST /api/v1/auth/register', answer: (await given.register(world, email)).answer }
    },
  ],
  FOLDER_CYCLE: [
    JOB_CYCLE,
    async (world) => {
      const { id } = (await given.makeFolder(world)).body
      return call(world, `PATCH ${FILES}/{id}`, { at: `${FILES}/${id}`, body: { parentId: id } })
    },
    async (world) => {
      const { id } = (await given.makeFolder(world)).body
      return { operation: `POST ${FILES}/copy`, answer: await given.copy(world, [id], id) }
    },
  ],
  CONFLICT: CONFLICTS,
  UPLOAD_OFFSET_MISMATCH: [
    async (world) => ({
      ...(await append('ab', { 'upload-offset': '2' })(world)),
      headers: { 'upload-offset': /^0$/, 'tus-resumable': /^1\.0\.0$/ },
    }),
  ],
  PRECONDITION_FAILED: [
    download({ 'if-match': '"another"' }),
    async (world) => ({
      ...(await call(world, 'POST /api/v1/uploads', { headers: { 'tus-resumable': '0.2.2' } })),
      headers: { 'tus-version': /^1\.0\.0$/ },
    }),
  ],
  TOO_LARGE: [
    (world) => call(world, `POST ${LOGIN}`, { body: { email: 'x'.repeat(17 * 1024), password: '' } }),
    append('more than four'),
  ],
  TYPE_REFUSED: [
    async (world) => ({ operation: `POST ${FILES}`, answer: await given.upload(world, 'game.exe', 'MZ') }),
    async (world) => ({
      operation: 'POST /api/v1/uploads',
      answer: await given.begin(world, 4, { filename: 'game.exe' }),
    }),
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    (world) => call(world, `POST ${LOGIN}`, { body: 'email=a', headers: { 'content-type': 'text/plain' } }),
    (world) => call(world, `POST ${FILES}`, { body: {} }),
    append('abcd', { 'content-type': 'text/plain' }),
    (world) => call(world, `POST ${CLOUDS}`, { body: { name: 'x' }, headers: { 'content-encoding': 'gzip' } }),
  ],
  NO_THUMBNAIL: [
    async (world) => {
      const form = given.uploadForm('music.mid', new TextEncoder().encode('MThd'))
      const { id } = (await world.browser.request('POST', FILES, form)).body
      return call(world, `GET ${FILES}/{id}/thumbnail`, { at: `${FILES}/${id}/thumbnail` })
    },
  ],
  RANGE_NOT_SATISFIABLE: [
    ...SHARE_PROBLEMS.RANGE_NOT_SATISFIABLE,
    async (world) => ({
      ...(await download({ range: 'bytes=10-' })(world)),
      headers: { 'content-range': /^bytes \*\/10$/ },
    }),
  ],
  NOT_ADMINISTRATOR: ADMINISTRATION_PROBLEMS.NOT_ADMINISTRATOR,
  REGISTRATION_CLOSED: ADMINISTRATION_PROBLEMS.REGISTRATION_CLOSED,
  UNKNOWN_HOST: [async () => ({ operation: null, answer: await unknownHost() })],
  IDEMPOTENCY_KEY_REUSED: [
    JOB_KEY_REUSED,
    TAG_KEY_REUSED,
    ...KEY_PROBLEMS.IDEMPOTENCY_KEY_REUSED,
    ...SHARE_PROBLEMS.IDEMPOTENCY_KEY_REUSED,
    (world) => reusedKey(`POST ${CLOUDS}`, (headers) => given.makeGroupCloud(world, undefined, headers)),
    (world) => reusedKey(`POST ${FILES}/folders`, (headers) => given.makeFolder(world, undefined, {}, headers)),
    (world) =>
      reusedKey(`POST ${FILES}/copy`, async (headers) =>
        given.copy(world, [await given.uploaded(world)], null, headers),
      ),
    (world) => reusedKey('POST /api/v1/uploads', (headers) => given.begin(world, 4, {}, headers)),
    (world) =>
      reusedKey(`POST ${FILES}`, (headers) =>
        world.browser.request('POST', FILES, given.uploadForm(`${given.unique('key')}.txt`, 'a'), headers),
      ),
  ],
  UPLOAD_INCOMPLETE: [brokenOff],
  CHECKSUM_MISMATCH: [append('abcd', { 'upload-checksum': 'sha256 AAAA' })],
  ...ACCOUNT_PROBLEMS,
  HEADERS_TOO_LARGE: [
    async (world) => ({ operation: null, answer: await raw(world, ['GET / HTTP/1.1', `x: ${'x'.repeat(20_000)}`]) }),
  ],
  TOO_MANY_REQUESTS: [...PEOPLE_PROBLEMS.TOO_MANY_REQUESTS, tooManyGuesses, tooManySignUps],
  INTERNAL: [lostBytes],
  NOT_READY: [withoutStaging],
  CONTENT_UNAVAILABLE: [
    async (world) => {
      const id = await given.uploaded(world)
      const { pool } = world.server
      const damage =
        "update copies set state = 'MISSING' where file_id = (select id from files where $1 like '%' || replace(id::text, '-', ''))"
      await pool.query(damage, [id])
      return call(world, `GET ${FILES}/{id}/download`, { at: `${FILES}/${id}/download` })
    },
  ],
  STORAGE_FULL: [
    async (world) => {
      const { id } = (await given.upload(world, 'large.txt', 'x'.repeat(0.6 * QUOTA_BYTES))).body
      const answer = await given.copy(world, [id])
      await call(world, `DELETE ${FILES}/{id}`, { at: `${FILES}/${id}?permanent=true` })
      return { operation: `POST ${FILES}/copy`, answer, headers: NO_SPACE }
    },
    async (world) => ({
      operation: `POST ${FILES}`,
      answer: await given.upload(world, 'big.txt', 'x'.repeat(2 * QUOTA_BYTES)),
      headers: NO_SPACE,
    }),
    async (world) => ({
      operation: 'POST /api/v1/uploads',
      answer: await given.begin(world, 2 * QUOTA_BYTES),
      headers: NO_SPACE,
    }),
  ],
}
