import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schema } from '../../server/graphql/schema.ts'
import { type IdType, newId, parsePublicId, publicId } from '../../server/lib/ids.ts'
import { insertLikelyGroup } from '../factories/duplicates.ts'
import { createFileJob } from '../factories/fileJobs.ts'
import { createProtection } from '../factories/protection.ts'
import { createTransfer } from '../factories/transfers.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { connectAccount } from '../setup/connectAccount.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { fieldsWithIds, GRAPHQL, type GraphqlRequest } from './isolation/graphqlTable.ts'
import { type Ids, unknownLike, withoutIds } from './isolation/ids.ts'
import { type OpenApi, operationsOf, REST, type RestRequest } from './isolation/restTable.ts'
import { VISITED } from './isolation/shareTables.ts'
import { GRAPHQL_SCOPES, REST_SCOPES } from './keysMatrix/scopes.ts'
import { newAddress } from './shares/world.ts'

/** Two users: every operation of one, tried with the other's ids, answers as if they did not exist, and changes nothing. */
let server: TestServer
let ada: TestUser
let bob: TestUser
/** What Bob tries: Ada's things, in turn. */
let foreign: Ids[]
let before: string
/** May do everything that a key may. */
let bobsKey: string

beforeAll(async () => {
  // A bot whose Telegram does not answer is a bot.
  const bot = { telegramBotToken: '1:of-a-bot-that-is-away', providerEmulatorUrl: new URL('http://127.0.0.1:9/') }
  server = await startTestServer({ rateLimit: null, ...bot, trustProxy: true })
  ada = await createUser(server.services.users)
  bob = await createUser(server.services.users)
  const adas = await furnish(ada, 'Ada')
  const bobs = await furnish(bob, 'Bob')
  bobsKey = (await server.services.keys.create(bob.viewer, { name: 'Everything' })).key
  // Ada was first: she administers the server.
  const { invitation } = await server.services.administration.invite(ada.viewer, {})
  const own = {
    file: bobs.file,
    groupCloud: bobs.groupCloud,
    folderShare: bobs.share,
    uploadLink: bobs.uploadLink,
    tag: bobs.tag,
    account: bobs.account,
    protectedFolder: bobs.protectedFolder,
  }
  const { groupCloud, account, upload, transfer, duplicates, job, telegramAccount, earlierVersion, version } = adas
  const files = [adas.file, adas.folder, adas.trashed]
  foreign = [...Object.values(adas), publicId('User', ada.user.id)].map((node, index) => ({
    file: files[index % files.length] ?? adas.file,
    groupCloud,
    account,
    earlierVersion,
    version,
    upload,
    transfer,
    job,
    duplicates,
    telegramAccount,
    session: adas.session,
    invitation: publicId('Invitation', invitation.id),
    apiKey: adas.apiKey,
    tag: adas.tag,
    copy: adas.copy,
    share: adas.share,
    endedShare: adas.endedShare,
    uploadLink: adas.uploadLink,
    endedUploadLink: adas.endedUploadLink,
    linkUpload: adas.linkUpload,
    node,
    own,
  }))
  before = await everything()
})

afterAll(() => server?.close())

/** One thing of each kind, over GraphQL where it can be made there. */
async function furnish({ token, viewer }: TestUser, name: string) {
  const client = createGraphqlClient(server.url, token)
  const send = (fileName: string) =>
    client.upload(
      'mutation($input: UploadFileInput!) { uploadFile(input: $input) { ... on UploadFilePayload { file { id copies { id } } } } }',
      { input: { file: null } },
      new File([`of ${name}`], fileName),
    )
  const { data } =
    await client(`mutation { createFolder(input: { name: "${name}" }) { ... on CreateFolderPayload { file { id } } }
    createGroupCloud(input: { name: "${name}" }) { ... on CreateGroupCloudPayload { groupCloud { id } } } }`)
  const { file } = (await send(`${name}.txt`)).data.uploadFile
  const trashed = (await send('trashed.txt')).data.uploadFile.file.id
  await client(`mutation { trashFiles(input: { ids: ["${trashed}"] }) { __typename } }`)
  const account = await connectAccount(server, viewer, name)
  const upload = await server.services.uploads.create(viewer, { name: 'half.txt', size: 10 })
  const planted = await createProtection(server.pool, viewer.userId)
  const idOf = (type: IdType, thing: { id: string } | undefined) => publicId(type, thing?.id ?? '')
  return {
    file: file.id as string,
    folder: data.createFolder.file.id as string,
    trashed: trashed as string,
    groupCloud: data.createGroupCloud.groupCloud.id as string,
    account: idOf('Account', account),
    upload: idOf('Upload', upload),
    transfer: publicId('Transfer', await createTransfer(server.pool, parsePublicId(file.id)?.id ?? '', 'PAUSED')),
    job: publicId('Job', await createFileJob(server.pool, viewer.userId, 'PAUSED')),
    earlierVersion: publicId('EarlierVersion', planted.versionId),
    protectedFolder: publicId('File', planted.folderId),
    version: publicId('FileVersion', await addVersion(viewer, parsePublicId(file.id)?.id ?? '')),
    duplicates: publicId('DuplicateGroup', await insertLikelyGroup(server.pool, viewer.userId, [])),
    copy: file.copies[0].id as string,
    ...(await shareFolder(viewer, data.createFolder.file.id)),
    ...(await askForFiles(viewer, data.createFolder.file.id)),
    session: publicId('Session', viewer.sessionId ?? ''),
    tag: publicId('Tag', await addTag(viewer, parsePublicId(file.id)?.id ?? '', name)),
    apiKey: publicId('ApiKey', (await server.services.keys.create(viewer, { name })).id),
    telegramAccount: publicId('TelegramAccount', await addTelegramAccount(viewer.userId)),
  }
}

/** With the name of its owner, on the file. */
async function addTag(viewer: TestUser['viewer'], fileId: string, name: string): Promise<string> {
  const { id } = await server.services.tags.create(viewer, { name, color: 'BLUE' })
  await server.services.files.changeEach(viewer, [fileId], { kind: 'TAG', addIds: [id], removeIds: [] })
  return id
}

/** The file gets another content. @returns its earlier version */
async function addVersion(viewer: TestUser['viewer'], fileId: string): Promise<string> {
  const input = { size: 5, source: 'UPLOAD' } as const
  await server.services.versions.write(viewer, fileId, input, Readable.from([Buffer.from('later')]))
  return (await server.services.versions.list(viewer, fileId))[1]?.id ?? ''
}

/** Of the same folder: a link that opens and one that was taken back. */
async function shareFolder(viewer: TestUser['viewer'], folder: string) {
  const { shares } = server.services
  const fileId = parsePublicId(folder)?.id ?? ''
  const [live, ended] = [await shares.create(viewer, { fileId }), await shares.create(viewer, { fileId })]
  await shares.revoke(viewer, ended.id)
  return { share: publicId('Share', live.id), endedShare: publicId('Share', ended.id) }
}

/** Into the same folder: a link that opens, with a visitor's upload, and one that has ended. */
async function askForFiles(viewer: TestUser['viewer'], folder: string) {
  const { uploadLinks } = server.services
  const input = { folderId: parsePublicId(folder)?.id ?? '', title: 'Photos' }
  const [live, ended] = [await uploadLinks.create(viewer, input), await uploadLinks.create(viewer, input)]
  const visitor = { address: '192.0.2.1', userAgent: '', proof: null }
  const sent = await uploadLinks.begin(visitor, live.id, { name: 'half.txt', size: 10 })
  await uploadLinks.revoke(viewer, ended.id)
  return {
    uploadLink: publicId('UploadLink', live.id),
    endedUploadLink: publicId('UploadLink', ended.id),
    linkUpload: publicId('LinkUpload', sent.id),
  }
}

async function addTelegramAccount(userId: string): Promise<string> {
  const id = newId()
  const insert = `insert into telegram_accounts (id, user_id, telegram_user_id, chat_id, name) values ($1, $2, 42, 42, 'Ada')`
  await server.pool.query(insert, [id, userId])
  return id
}

/** Every row that belongs to anybody; sessions without when they were last seen. */
async function everything(): Promise<string> {
  const tables = [
    'users',
    'accounts',
    'group_clouds',
    'group_cloud_members',
    'files',
    'copies',
    'pieces',
    'uploads',
    'transfers',
    'file_jobs',
    'file_job_items',
    'telegram_accounts',
    'shares',
    'upload_links',
    'link_uploads',
    'duplicate_comparisons',
    'protections',
    'protected_versions',
    'file_versions',
    'tags',
    'file_tags',
  ]
  const keys = server.pool.query("select (to_jsonb(t) - 'last_used_at')::text as row from api_keys t order by 1")
  const rows = await Promise.all(
    tables.map((table) => server.pool.query(`select to_jsonb(t)::text as row from ${table} t order by 1`)),
  )
  const sessions = await server.pool.query('select id, user_id from sessions order by 1')
  return JSON.stringify([...rows.map((result) => result.rows), sessions.rows, (await keys).rows], null, 1)
}

const unknown = (ids: Ids): Ids => ({
  file: unknownLike(ids.file),
  groupCloud: unknownLike(ids.groupCloud),
  account: unknownLike(ids.account),
  upload: unknownLike(ids.upload),
  transfer: unknownLike(ids.transfer),
  job: unknownLike(ids.job),
  earlierVersion: unknownLike(ids.earlierVersion),
  version: unknownLike(ids.version),
  duplicates: unknownLike(ids.duplicates),
  telegramAccount: unknownLike(ids.telegramAccount),
  session: unknownLike(ids.session),
  invitation: unknownLike(ids.invitation),
  apiKey: unknownLike(ids.apiKey),
  tag: unknownLike(ids.tag),
  copy: unknownLike(ids.copy),
  share: unknownLike(ids.share),
  endedShare: unknownLike(ids.endedShare),
  uploadLink: unknownLike(ids.uploadLink),
  endedUploadLink: unknownLike(ids.endedUploadLink),
  linkUpload: unknownLike(ids.linkUpload),
  node: unknownLike(ids.node),
  own: ids.own,
})

/** Those of Ada's things with which an attempt is another request: most take one of the ids only. */
function distinct(attempt: (ids: Ids) => RestRequest | GraphqlRequest): Ids[] {
  const fields = (_key: string, value: unknown) => (value instanceof FormData ? [...value] : value)
  const requests = foreign.map((ids) => JSON.stringify(attempt(ids), fields))
  return foreign.filter((_ids, index) => requests.indexOf(requests[index] ?? '') === index)
}

async function askRest({ path, init }: RestRequest, user: TestUser | null, key?: string) {
  const session = user && { cookie: `sid=${user.token}`, origin: server.url }
  const authorization = key && { authorization: `Bearer ${key}` }
  const headers = { ...(init.headers as Record<string, string>), ...session, ...authorization }
  const response = await fetch(`${server.url}${path}`, { ...init, headers })
  const shown = [...response.headers].filter(([name]) => name !== 'date')
  return { status: response.status, text: withoutIds(JSON.stringify([shown, await response.text()])) }
}

async function askGraphql({ query, variables, withFile }: GraphqlRequest, key?: string): Promise<string> {
  // From networks of their own: what is throttled by network is not what is looked at here.
  const address = { 'x-forwarded-for': newAddress() }
  const client = createGraphqlClient(server.url, bob.token, {
    ...address,
    ...(key && { authorization: `Bearer ${key}` }),
  })
  if (query.startsWith('subscription')) {
    const answer = await client.stream(query, variables, AbortSignal.timeout(5000)).next()
    return withoutIds(JSON.stringify(answer.value))
  }
  const answer = withFile ? client.upload(query, variables, new File(['x'], 'planted.txt')) : client(query, variables)
  return withoutIds(JSON.stringify(await answer))
}

describe('REST', () => {
  test('the table knows every operation of the OpenAPI document and every id that it takes', async () => {
    const document = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as OpenApi
    const operations = operationsOf(document)
    expect(Object.keys(REST).sort()).toEqual([...operations.keys()].sort())
    for (const [operation, ids] of operations) {
      expect(Object.keys(REST[operation] ?? {}), operation).toEqual(expect.arrayContaining(ids))
    }
  })

  const rows = Object.entries(REST).flatMap(([operation, attempts]) =>
    Object.entries(attempts).map(([id, attempt]) => ({ operation, id, attempt })),
  )
  test.each(rows)('$operation with somebody else’s $id', async ({ attempt }) => {
    for (const ids of distinct(attempt)) {
      const answer = await askRest(attempt(ids), bob)
      expect(answer).toEqual(await askRest(attempt(unknown(ids)), bob))
      if (!findsNothing(answer.text)) expect(answer.status).toBe(404)
      expect(answer.text).not.toContain('Ada')
    }
    expect(await everything()).toBe(before)
  })

  test.each(rows)('$operation with somebody else’s $id, by a key', async ({ operation, attempt }) => {
    for (const ids of distinct(attempt)) {
      const answer = await askRest(attempt(ids), null, bobsKey)
      expect(answer).toEqual(await askRest(attempt(unknown(ids)), null, bobsKey))
      if (REST_SCOPES[operation] === 'SESSION') expect(answer.status).toBe(403)
      else if (!findsNothing(answer.text)) expect(answer.status).toBe(404)
      expect(answer.text).not.toContain('Ada')
    }
    expect(await everything()).toBe(before)
  })

  test.each(rows)('$operation with any $id, by nobody', async ({ operation, attempt }) => {
    const [ids] = foreign
    const refusal = operation in VISITED ? 404 : 401
    if (ids) expect((await askRest(attempt(ids), null)).status).toBe(refusal)
    expect(await everything()).toBe(before)
  })

  test('pictures of others are not there', async () => {
    const picture = (id: string) => askRest({ path: `/avatars/${id}`, init: { method: 'GET' } }, bob)
    const id = publicId('User', ada.user.id)
    expect(await picture(id)).toEqual(await picture(unknownLike(id)))
    expect((await picture(id)).status).toBe(404)
  })
})

/** A filter by what is not there finds nothing; of many in one call, each has its own status. */
function findsNothing(text: string): boolean {
  return (
    text.includes(String.raw`{\"items\":[],\"nextCursor\":null}`) || text.includes(String.raw`\"status\":404,\"code\"`)
  )
}

describe('GraphQL', () => {
  test('the table knows every field of the schema that takes ids, and each of them', () => {
    const table = Object.entries(GRAPHQL).map(([field, attempts]) => [field, Object.keys(attempts).sort()])
    const fields = [...fieldsWithIds(schema)].map(([field, ids]) => [field, [...ids].sort()])
    expect(table.sort()).toEqual(fields.sort())
  })

  const rows = Object.entries(GRAPHQL).flatMap(([field, attempts]) =>
    Object.entries(attempts).map(([id, attempt]) => ({ field, id, attempt })),
  )
  test.each(rows)('$field with somebody else’s $id, by a session and by a key', async ({ field, attempt }) => {
    for (const ids of distinct(attempt)) {
      const answer = await askGraphql(attempt(ids))
      expect(answer).toBe(await askGraphql(attempt(unknown(ids))))
      expect(answer).toMatch(
        /NOT_FOUND|"node":null|_ID"},null\]|"file":null|"share":null|"edges":\[\]|"(c|changedC)ount":0/,
      )
      expect(answer).not.toContain('Ada')
      const byKey = await askGraphql(attempt(ids), bobsKey)
      expect(byKey).toBe(await askGraphql(attempt(unknown(ids)), bobsKey))
      if (GRAPHQL_SCOPES[field]?.startsWith('SESSION')) expect(byKey).toContain('KEY_REFUSED')
      else
        expect(byKey).toMatch(
          /KEY_REFUSED|NOT_FOUND|"(node|file|share)":null|_ID"},null\]|"edges":\[\]|"(c|changedC)ount":0/,
        )
    }
    expect(await everything()).toBe(before)
  })
})
