import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../factories/user.ts'
import { createGraphqlClient, type GraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
let asAda: GraphqlClient
let anonymous: GraphqlClient

beforeAll(async () => {
  server = await startTestServer({ acceptAnyType: false })
  asAda = createGraphqlClient(server.url, (await createUser(server.services.users)).token)
  anonymous = createGraphqlClient(server.url, null)
})

afterAll(() => server?.close())

const UPLOAD = `mutation($input: UploadFileInput!) { uploadFile(input: $input) { __typename
  ... on UploadFilePayload { file { id name size sha256 mimeType parent { id } } } ... on Error { code message } } }`
const INPUT = { input: { file: null } }
const PREFLIGHT = { 'graphql-require-preflight': '1' }
const text = (content: string, name = 'a.txt') => new File([content], name, { type: 'text/plain' })
const names = async () => {
  const { data } = await asAda('{ viewer { files(first: 200) { edges { node { name } } } } }')
  return data.viewer.files.edges.map(({ node }: { node: { name: string } }) => node.name)
}
const form = (parts: Record<string, string | File>) => {
  const body = new FormData()
  for (const [name, value] of Object.entries(parts)) body.append(name, value)
  return body
}
const send = async (parts: Record<string, string | File>, client = asAda) => {
  const response = await client.raw({ headers: PREFLIGHT, body: form(parts) })
  return { status: response.status, ...(await response.json()) }
}

describe('uploadFile', () => {
  test('stores the bytes under the name, in the folder, whole', async () => {
    const { data } = await asAda(
      'mutation { createFolder(input: { name: "In" }) { ... on CreateFolderPayload { file { id } } } }',
    )
    const parentId = data.createFolder.file.id
    const content = randomBytes(3 * 1024 * 1024).toString('base64')
    const answer = await asAda.upload(UPLOAD, { input: { file: null, parentId } }, text(content, 'größe 漢字.txt'))
    expect(answer.data.uploadFile.file).toMatchObject({
      name: 'größe 漢字.txt',
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      mimeType: 'text/plain',
      parent: { id: parentId },
    })
  })

  test('keeps a taken name apart, replaces or refuses, as asked', async () => {
    await asAda.upload(UPLOAD, INPUT, text('1', 'twice.txt'))
    const renamed = await asAda.upload(UPLOAD, INPUT, text('2', 'twice.txt'))
    expect(renamed.data.uploadFile.file.name).toBe('twice (2).txt')
    const refused = await asAda.upload(UPLOAD, { input: { file: null, onConflict: 'FAIL' } }, text('3', 'twice.txt'))
    expect(refused.data.uploadFile).toMatchObject({ __typename: 'NameTakenError', code: 'NAME_TAKEN' })
  })

  test('refuses what is not an accepted type, or has no place', async () => {
    const program = await asAda.upload(UPLOAD, INPUT, new File(['MZ'], 'a.exe'))
    expect(program.data.uploadFile).toMatchObject({ __typename: 'TypeRefusedError', code: 'TYPE_REFUSED' })
    const lost = await asAda.upload(UPLOAD, { input: { file: null, parentId: 'file_x' } }, text('x'))
    expect(lost.data.uploadFile).toMatchObject({ __typename: 'NotFoundError' })
  })

  test('is for the signed-in, before any byte is read', async () => {
    const { status, errors } = await send(
      {
        operations: JSON.stringify({ query: UPLOAD, variables: INPUT }),
        map: '{"f":["variables.input.file"]}',
        f: text('x'),
      },
      anonymous,
    )
    expect({ status, code: errors[0].extensions.code }).toEqual({ status: 401, code: 'UNAUTHENTICATED' })
  })

  test('needs the header that no form can send', async () => {
    const body = form({
      operations: JSON.stringify({ query: UPLOAD, variables: INPUT }),
      map: '{"f":["variables.input.file"]}',
      f: text('planted', 'planted.txt'),
    })
    expect((await asAda.raw({ body })).status).toBe(403)
    expect(await names()).not.toContain('planted.txt')
  })

  test('cannot be had without a multipart request', async () => {
    for (const file of [null, 'x', {}]) {
      const { data, errors } = await asAda(UPLOAD, { input: { file } })
      expect(data).toBeUndefined()
      expect(errors?.[0]?.message).toMatch(/multipart|not to be null/)
    }
  })
})

describe('a multipart request', () => {
  const operations = (query: string, variables: object = {}) => JSON.stringify({ query, variables })

  test('whose operation does not use the file answers, and leaves the connection usable', async () => {
    const big = text('x'.repeat(8 * 1024 * 1024))
    const { status, data } = await send({
      operations: operations('{ __typename }', { file: null }),
      map: '{"f":["variables.file"]}',
      f: big,
    })
    expect({ status, data }).toEqual({ status: 200, data: { __typename: 'Query' } })
  })

  test('without a file is an operation like any other, within the same limits', async () => {
    expect((await send({ operations: operations('{ __typename }'), map: '{}' })).data).toEqual({ __typename: 'Query' })
    const aliases = Array.from({ length: 16 }, (_, i) => `a${i}: __typename`).join(' ')
    expect(
      (await send({ operations: operations(`{ viewer { ${aliases} } }`), map: '{}' })).errors[0].message,
    ).toContain('aliases')
  })

  test('uses its file once', async () => {
    const input = `input: { file: $file }) { __typename ... on InvalidInputError { message } }`
    const query = `mutation($file: Upload!) { a: uploadFile(${input} b: uploadFile(${input} }`
    const { data } = await send({
      operations: operations(query, { file: null }),
      map: '{"f":["variables.file"]}',
      f: text('x', 'once.txt'),
    })
    expect(data).toMatchObject({ a: { __typename: 'UploadFilePayload' }, b: { __typename: 'InvalidInputError' } })
  })

  const file = text('x')
  const map = '{"f":["variables.input.file"]}'
  const upload = operations(UPLOAD, INPUT)
  const field = (name: string, value: string) => `content-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  test.each<[string, Record<string, string | File>, number]>([
    ['no operations', { map, f: file }, 400],
    ['no map', { operations: upload, f: file }, 400],
    ['the file first', { f: file, operations: upload, map }, 400],
    ['no file', { operations: upload, map }, 400],
    ['bad JSON', { operations: '{', map, f: file }, 400],
    ['a batch', { operations: '[]', map, f: file }, 400],
    ['a map that is a list', { operations: upload, map: '[]', f: file }, 400],
    [
      'two paths for a file',
      { operations: upload, map: '{"f":["variables.input.file","variables.input.file"]}', f: file },
      400,
    ],
    ['a path to nowhere', { operations: upload, map: '{"f":["variables.input.nothing"]}', f: file }, 400],
    ['a path to the query', { operations: upload, map: '{"f":["query"]}', f: file }, 400],
    [
      'a path to what all objects inherit',
      { operations: upload, map: '{"f":["variables.toString.call"]}', f: file },
      400,
    ],
    ['a path to a prototype', { operations: upload, map: '{"f":["variables.__proto__.polluted"]}', f: file }, 400],
    ['an operation beyond 1 MiB', { operations: operations(`# ${'x'.repeat(1024 * 1024)}`), map, f: file }, 413],
    [
      'two files',
      {
        operations: operations('{ __typename }', { file: null }),
        map: '{"f":["variables.file"],"g":["variables.file"]}',
        f: file,
        g: file,
      },
      400,
    ],
  ])('with %s is refused', async (_what, parts, expected) => {
    const { status, errors } = await send(parts)
    expect({ status, code: errors[0].extensions.code }).toEqual({ status: expected, code: 'MALFORMED_BODY' })
    expect({}).not.toHaveProperty('polluted')
    expect(Object.prototype.toString.call([])).toBe('[object Array]')
  })

  test('with a second file that nothing asks for is refused, and stores nothing', async () => {
    const part = (name: string) => `--x\r\n${field(`${name}"; filename="${name}-of-two.txt`, 'x')}`
    const body = `--x\r\n${field('operations', upload)}--x\r\n${field('map', map)}${part('f')}${part('g')}--x--\r\n`
    const headers = { ...PREFLIGHT, 'content-type': 'multipart/form-data; boundary=x' }
    expect((await asAda.raw({ headers, body })).status).toBe(413)
    const first = text('x'.repeat(3 * 1024 * 1024), 'f-of-two.txt')
    const late = await send({ operations: upload, map, f: first, g: file })
    expect(late.errors[0].extensions.code).toBe('UPLOAD_INCOMPLETE')
    expect(await names()).not.toContain(first.name)
  })

  test('may write its content type as it likes', async () => {
    const body = `--X\r\n${field('operations', operations('{ __typename }'))}--X\r\n${field('map', '{}')}--X--\r\n`
    for (const type of ['Multipart/Form-Data; boundary=X', 'multipart/form-data ;boundary=X']) {
      const response = await asAda.raw({ headers: { ...PREFLIGHT, 'content-type': type }, body })
      expect(await response.json()).toEqual({ data: { __typename: 'Query' } })
    }
  })

  test('with a malformed part is refused, wherever that is', async () => {
    const bad = '--x\r\n(bad): header\r\n\r\n'
    const start = `--x\r\n${field('operations', upload)}`
    const headers = { ...PREFLIGHT, 'content-type': 'multipart/form-data; boundary=x' }
    for (const body of [bad, start + bad, `${start}--x\r\n${field('map', map)}${bad}`]) {
      expect((await asAda.raw({ headers, body: `${body}--x--\r\n` })).status).toBe(400)
    }
  })

  test('without a boundary, or with nothing in it, is refused', async () => {
    for (const [type, body] of [
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=x', ''],
      ['multipart/form-data; boundary=x', '--x--\r\n'],
    ]) {
      const response = await asAda.raw({ headers: { ...PREFLIGHT, 'content-type': type ?? '' }, body: body ?? '' })
      expect(response.status).toBe(400)
    }
  })

  test.each([
    ['breaks off', (socket: { destroy(): void }) => socket.destroy()],
    ['ends without its boundary', (socket: { end(): void }) => socket.end()],
  ])('that %s in the middle of the file stores nothing', async (what, stop) => {
    const name = `${what.replaceAll(' ', '-')}.txt`
    const head = `--x\r\n${field('operations', upload)}--x\r\n${field('map', map)}`
    const part = `--x\r\ncontent-disposition: form-data; name="f"; filename="${name}"\r\ncontent-type: text/plain\r\n\r\n`
    const headers = { ...asAda.headers, ...PREFLIGHT, 'content-type': 'multipart/form-data; boundary=x' }
    const sending = request(asAda.url, { method: 'POST', headers }).on('error', () => {})
    sending.write(`${head}${part}${'half of it '.repeat(1000)}`)
    await sleep(200)
    stop(sending)
    await sleep(300)
    expect(await names()).not.toContain(name)
    expect((await asAda('{ __typename }')).data).toEqual({ __typename: 'Query' })
  })
})

test('none of this was a fault of the server’s', () => expect(server.logs).toEqual([]))
