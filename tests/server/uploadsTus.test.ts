import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NotFoundError, StorageFullError } from '../../server/domain/errors.ts'
import { parsePublicId, publicId } from '../../server/lib/ids.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { cutAfter, openRaw } from '../setup/rawHttp.ts'
import { startUploadsHttp } from '../setup/uploads.ts'

let http: Awaited<ReturnType<typeof startUploadsHttp>>
let ada: TestUser
beforeAll(async () => {
  http = await startUploadsHttp({ acceptAnyType: true, localQuotaBytes: 1024 ** 3 })
  ada = await createUser(http.services.users)
})
afterAll(() => http.close())

type Headers = Record<string, string>
const BYTES = { 'content-type': 'application/offset+octet-stream' }
const base64 = (text: string) => Buffer.from(text).toString('base64')
const metadata = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',')

async function tus(method: string, path: string, headers: Headers = {}, body?: Buffer, user = ada) {
  const own = { 'tus-resumable': '1.0.0', origin: http.url, cookie: `sid=${user.token}` }
  const init = { method, headers: { ...own, ...headers }, ...(body && { body: new Uint8Array(body) }) }
  const response = await fetch(new URL(path, http.url), init)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text }
}

async function create(size: number, headers: Headers = {}, body?: Buffer): Promise<string> {
  const own = { 'upload-length': String(size), 'upload-metadata': metadata({ filename: 'a.bin' }) }
  const { status, headers: answered } = await tus('POST', '/api/v1/uploads', { ...own, ...headers }, body)
  expect(status).toBe(201)
  return answered.get('location') ?? ''
}

const append = (location: string, offset: number, body: Buffer, headers: Headers = {}) =>
  tus('PATCH', location, { ...BYTES, 'upload-offset': String(offset), ...headers }, body)

async function fileOf(headers: globalThis.Headers) {
  const id = parsePublicId(headers.get('skypool-file-id') ?? '')?.id ?? ''
  return http.services.files.get(ada.viewer, id)
}

describe('an upload that is removed while its bytes come', () => {
  const REMOVE = `with freed as (delete from upload_reservations where upload_id = $1 returning account_id, bytes),
    released as (
      update accounts a set reserved_bytes = reserved_bytes - freed.bytes from freed where a.id = freed.account_id
    )
    delete from uploads where id = $1`

  it('is not said to have them', async () => {
    const { viewer } = await createUser(http.services.users)
    const { id } = await http.services.uploads.create(viewer, { name: 'gone.bin', size: 30 })
    async function* body() {
      yield Buffer.alloc(10)
      await http.database.pool.query(REMOVE, [id])
      yield Buffer.alloc(10)
    }
    const sent = http.services.uploads.append(viewer, id, 0, Readable.from(body(), { objectMode: false }))
    await expect(sent).rejects.toThrow(NotFoundError)
  })
})

describe('protocol', () => {
  it('says what it speaks, to anyone', async () => {
    const response = await fetch(`${http.url}/api/v1/uploads`, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('tus-version')).toBe('1.0.0')
    expect(response.headers.get('tus-extension')).toBe(
      'creation,creation-with-upload,creation-defer-length,expiration,checksum,termination,concatenation',
    )
    expect(response.headers.get('tus-max-size')).toBe(String(Number.MAX_SAFE_INTEGER))
    expect(response.headers.get('tus-checksum-algorithm')).toBe('sha1,sha256,md5')
  })

  it('takes a file in pieces and names it in the last answer', async () => {
    const bytes = randomBytes(300_000)
    const location = await create(bytes.length, {
      'upload-metadata': metadata({ filename: 'ünï code.bin', filetype: 'x/y' }),
    })
    expect(location).toMatch(/^\/api\/v1\/uploads\/upl_[0-9a-f]{32}$/)
    const first = await append(location, 0, bytes.subarray(0, 100_000))
    expect(first).toMatchObject({ status: 204 })
    expect(first.headers.get('upload-offset')).toBe('100000')
    expect(Date.parse(first.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000)
    const head = await tus('HEAD', location)
    expect(head.headers.get('upload-offset')).toBe('100000')
    expect(head.headers.get('upload-length')).toBe('300000')
    expect(head.headers.get('cache-control')).toBe('no-store')
    const last = await append(location, 100_000, bytes.subarray(100_000))
    const file = await fileOf(last.headers)
    expect(file).toMatchObject({ name: 'ünï code.bin', size: 300_000, category: 'OTHER' })
    expect(file.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  it.each(['kept', 'trashed'])('names the folder that the file is in: it is %s while the bytes come', async (fate) => {
    const folder = await http.services.files.createFolder(ada.viewer, { name: fate, parentId: null })
    const parentId = publicId('File', folder.id)
    const location = await create(5, { 'upload-metadata': metadata({ filename: `${fate}.bin`, parentId }) })
    expect((await append(location, 0, Buffer.from('123'))).headers.get('skypool-parent-id')).toBeNull()
    if (fate === 'trashed') await http.services.files.trash(ada.viewer, [folder.id])
    const last = await append(location, 3, Buffer.from('45'))
    const expected = fate === 'trashed' ? null : parentId
    expect((await fileOf(last.headers)).parentId).toBe(fate === 'trashed' ? null : folder.id)
    expect(last.headers.get('skypool-parent-id')).toBe(expected)
    expect((await tus('HEAD', location)).headers.get('skypool-parent-id')).toBe(expected)
  })

  it('answers a lost last answer again', async () => {
    const location = await create(5, BYTES, Buffer.from('12345'))
    const head = await tus('HEAD', location)
    expect(head.headers.get('upload-offset')).toBe('5')
    const fileId = head.headers.get('skypool-file-id')
    expect((await append(location, 5, Buffer.alloc(0))).headers.get('skypool-file-id')).toBe(fileId)
    const { body } = await tus('GET', location)
    expect(body).toMatchObject({ name: 'a.bin', size: 5, offset: 5, fileId })
    expect(body.id).toBe(location.split('/').at(-1))
  })

  it('creates with the first bytes, once for one Idempotency-Key', async () => {
    const headers = { ...BYTES, 'idempotency-key': 'first-bytes' }
    const location = await create(10, headers, Buffer.from('12345'))
    expect(await create(10, headers, Buffer.from('12345'))).toBe(location)
    expect((await tus('HEAD', location)).headers.get('upload-offset')).toBe('5')
    const other = await tus('POST', '/api/v1/uploads', {
      'idempotency-key': 'first-bytes',
      'upload-length': '11',
      'upload-metadata': metadata({ filename: 'a.bin' }),
    })
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
  })

  it('checks checksums and keeps nothing of a wrong one', async () => {
    const location = await create(10)
    const sum = (text: string) => `sha1 ${createHash('sha1').update(text).digest('base64')}`
    const wrong = await append(location, 0, Buffer.from('12345'), { 'upload-checksum': sum('54321') })
    expect(wrong).toMatchObject({ status: 460, body: { code: 'CHECKSUM_MISMATCH' } })
    expect((await tus('HEAD', location)).headers.get('upload-offset')).toBe('0')
    expect(await append(location, 0, Buffer.from('12345'), { 'upload-checksum': sum('12345') })).toMatchObject({
      status: 204,
    })
    expect(await append(location, 5, Buffer.from('12345'), { 'upload-checksum': 'crc32 AAAA' })).toMatchObject({
      status: 400,
    })
  })

  it('terminates', async () => {
    const location = await create(10)
    expect(await tus('DELETE', location)).toMatchObject({ status: 204 })
    expect(await tus('HEAD', location)).toMatchObject({ status: 404 })
    expect(await tus('DELETE', location)).toMatchObject({ status: 404 })
  })
})

describe('refusals', () => {
  const named = { 'upload-metadata': metadata({ filename: 'a.bin' }) }

  it.each([
    ['negative', '-1', 400],
    ['not whole', '1.5', 400],
    ['beyond exact numbers', '9007199254740993', 413],
    ['huge', '1'.repeat(30), 413],
    ['beyond the quota', String(2 * 1024 ** 3), 507],
  ])('an Upload-Length that is %s', async (_, length, status) => {
    expect(await tus('POST', '/api/v1/uploads', { ...named, 'upload-length': length })).toMatchObject({ status })
  })

  it('no length, no name, no version, malformed metadata', async () => {
    const post = (headers: Headers) => tus('POST', '/api/v1/uploads', headers)
    expect(await post(named)).toMatchObject({ status: 400 })
    expect(await post({ 'upload-length': '1' })).toMatchObject({ status: 400 })
    expect(await post({ 'upload-length': '1', 'upload-metadata': 'filename ***' })).toMatchObject({ status: 400 })
    const old = await post({ ...named, 'upload-length': '1', 'tus-resumable': '0.2.2' })
    expect(old).toMatchObject({ status: 412, body: { code: 'PRECONDITION_FAILED' } })
    expect(old.headers.get('tus-version')).toBe('1.0.0')
  })

  it('a wrong offset, a wrong type, too many bytes', async () => {
    const location = await create(10)
    const mismatch = await append(location, 3, Buffer.from('1'))
    expect(mismatch).toMatchObject({ status: 409, body: { code: 'UPLOAD_OFFSET_MISMATCH' } })
    expect(mismatch.headers.get('upload-offset')).toBe('0')
    expect(await append(location, 0, Buffer.from('1'), { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
    expect(await append(location, 0, Buffer.alloc(11))).toMatchObject({ status: 413 })
    expect((await tus('HEAD', location)).headers.get('upload-offset')).toBe('0')
  })

  it('other people’s uploads, malformed ids and the anonymous', async () => {
    const eve = await createUser(http.services.users)
    const location = await create(10)
    for (const path of [location, '/api/v1/uploads/upl_x', '/api/v1/uploads/..%2F..%2Fetc%2Fpasswd']) {
      expect(await tus('HEAD', path, {}, undefined, eve)).toMatchObject({ status: 404 })
      expect(await tus('GET', path, {}, undefined, eve)).toMatchObject({ status: 404 })
      expect(await tus('PATCH', path, { ...BYTES, 'upload-offset': '0' }, Buffer.from('1'), eve)).toMatchObject({
        status: 404,
      })
      expect(await tus('DELETE', path, {}, undefined, eve)).toMatchObject({ status: 404 })
    }
    expect(await tus('HEAD', location, { cookie: '' })).toMatchObject({ status: 401 })
    expect(await tus('PATCH', location, { origin: 'https://evil.example' })).toMatchObject({ status: 403 })
  })

  it('a taken name with onConflict fail, in the last answer', async () => {
    const headers = { 'upload-metadata': metadata({ filename: 'once.txt', onConflict: 'fail' }) }
    await append(await create(1, headers), 0, Buffer.from('1'))
    expect(await append(await create(1, headers), 0, Buffer.from('1'))).toMatchObject({
      status: 409,
      body: { code: 'NAME_TAKEN' },
    })
  })
})

describe('bounds', () => {
  it('of open uploads: the 101st of one user is refused until another has ended', async () => {
    const bob = await createUser(http.services.users)
    const begin = (user = bob) =>
      tus(
        'POST',
        '/api/v1/uploads',
        { 'upload-length': '5', 'upload-metadata': metadata({ filename: 'a.bin' }) },
        undefined,
        user,
      )
    const together = () => Promise.all(Array.from({ length: 55 }, () => begin()))
    // In two rounds: 110 requests at once would be more connections than one address may have.
    const begun = [...(await together()), ...(await together())]
    expect(begun.filter(({ status }) => status === 201)).toHaveLength(100)
    const refused = begun.find(({ status }) => status === 429)
    expect(refused?.body.detail).toContain('You have 100 unfinished uploads')
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await begin(ada)).status).toBe(201)
    const location = begun.find(({ status }) => status === 201)?.headers.get('location') ?? ''
    const whole = await tus('PATCH', location, { ...BYTES, 'upload-offset': '0' }, Buffer.from('bytes'), bob)
    expect(whole.status).toBe(204)
    expect((await begin()).status).toBe(201)
    expect((await begin()).status).toBe(429)
  })

  it('of the metadata that is kept with an upload', async () => {
    const begin = (length: number) =>
      tus('POST', '/api/v1/uploads', {
        'upload-length': '5',
        'upload-metadata': `${metadata({ filename: 'a.bin' })},more ${'bW9y'.repeat(length / 4)}`,
      })
    expect((await begin(4_000)).status).toBe(201)
    expect(await begin(8_000)).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    const nul = { 'upload-length': '5', 'upload-metadata': metadata({ filename: 'a.bin', more: 'a\0b' }) }
    expect((await tus('POST', '/api/v1/uploads', nul)).status).toBe(400)
  })
})

describe('the method in a header', () => {
  const as = (method: string, location: string, headers: Headers = {}, body?: Buffer) =>
    tus('POST', location, { 'x-http-method-override': method, ...headers }, body)

  it('counts instead of POST', async () => {
    const location = await create(10)
    const sent = await as('PATCH', location, { ...BYTES, 'upload-offset': '0' }, Buffer.from('12345'))
    expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, '5'])
    const head = await as('head', location)
    expect([head.status, head.headers.get('upload-offset'), head.body]).toEqual([200, '5', ''])
    expect((await as('DELETE', location)).status).toBe(204)
    expect((await tus('HEAD', location)).status).toBe(404)
  })

  it('counts for uploads alone, and opens nothing', async () => {
    const location = await create(10)
    expect((await as('DELETE', location, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await as('TRACE', location)).status).toBe(405)
    const folder = await http.services.files.createFolder(ada.viewer, { name: 'Stays', parentId: null })
    expect((await as('DELETE', `/api/v1/files/${publicId('File', folder.id)}`)).status).toBe(405)
  })
})

describe('a length that is said later', () => {
  const begin = (headers: Headers = {}) =>
    tus('POST', '/api/v1/uploads', {
      'upload-defer-length': '1',
      'upload-metadata': metadata({ filename: 'live.bin' }),
      ...headers,
    })
  const begun = async () => (await begin()).headers.get('location') ?? ''

  it('is taken from the request that knows it', async () => {
    const location = await begun()
    const bytes = randomBytes(200_000)
    const first = await append(location, 0, bytes.subarray(0, 150_000))
    expect([first.status, first.headers.get('upload-defer-length'), first.headers.get('upload-length')]).toEqual([
      204,
      '1',
      null,
    ])
    const head = await tus('HEAD', location)
    expect([head.headers.get('upload-offset'), head.headers.get('upload-defer-length')]).toEqual(['150000', '1'])
    expect((await tus('GET', location)).body).toMatchObject({ size: null, offset: 150_000, fileId: null })
    const last = await append(location, 150_000, bytes.subarray(150_000), { 'upload-length': '200000' })
    expect([last.status, last.headers.get('upload-length')]).toEqual([204, '200000'])
    expect((await fileOf(last.headers)).sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(await reserved()).toBe(await reservedByUploads())
  })

  it('may come with no bytes, also for none at all', async () => {
    const location = await begun()
    await append(location, 0, Buffer.from('12345'))
    const last = await append(location, 5, Buffer.alloc(0), { 'upload-length': '5' })
    expect(await fileOf(last.headers)).toMatchObject({ size: 5 })
    const empty = await append(await begun(), 0, Buffer.alloc(0), { 'upload-length': '0' })
    expect(await fileOf(empty.headers)).toMatchObject({ size: 0 })
  })

  it('is said once, and not below what has come', async () => {
    const location = await begun()
    await append(location, 0, Buffer.from('12345'))
    const less = await append(location, 5, Buffer.alloc(0), { 'upload-length': '4' })
    expect(less).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    expect((await append(location, 5, Buffer.from('6'), { 'upload-length': '10' })).status).toBe(204)
    expect((await append(location, 6, Buffer.from('7'), { 'upload-length': '10' })).status).toBe(204)
    expect((await append(location, 7, Buffer.from('8'), { 'upload-length': '11' })).status).toBe(400)
    expect((await tus('HEAD', location)).headers.get('upload-offset')).toBe('7')
    for (const headers of [{ 'upload-defer-length': '2' }, { 'upload-length': '5' }]) {
      expect(await begin(headers)).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    }
  })

  it('holds room for what has come, and has no more than there is', async () => {
    const small = await startUploadsHttp({ acceptAnyType: true, localQuotaBytes: 1_000 })
    try {
      const bob = await createUser(small.services.users)
      const { uploads } = small.services
      const { id } = await uploads.create(bob.viewer, { name: 'a.bin', size: null })
      expect(await uploads.append(bob.viewer, id, 0, Readable.from([Buffer.alloc(600)]))).toBe(600)
      const other = uploads.create(bob.viewer, { name: 'b.bin', size: 500 })
      await expect(other).rejects.toThrow(StorageFullError)
      const more = uploads.append(bob.viewer, id, 600, Readable.from([Buffer.alloc(401)]))
      await expect(more).rejects.toThrow(StorageFullError)
      const said = uploads.append(bob.viewer, id, 600, Readable.from([]), undefined, 1_001)
      await expect(said).rejects.toThrow(StorageFullError)
      expect(await uploads.get(bob.viewer, id)).toMatchObject({ offset: 600, size: null })
      expect(await uploads.append(bob.viewer, id, 600, Readable.from([Buffer.alloc(400)]), undefined, 1_000)).toBe(
        1_000,
      )
      expect(await uploads.finish(bob.viewer, id)).toMatchObject({ size: 1_000 })
    } finally {
      await small.close()
    }
  })
})

describe('parts', () => {
  const PART = { 'upload-concat': 'partial', 'upload-metadata': '' }

  async function part(bytes: Buffer, sent = bytes.length): Promise<string> {
    const location = await create(bytes.length, PART)
    if (sent > 0) await append(location, 0, bytes.subarray(0, sent))
    return location
  }

  const finish = (parts: readonly string[], fields: Record<string, string> = {}) =>
    tus('POST', '/api/v1/uploads', {
      'upload-concat': `final;${parts.join(' ')}`,
      'upload-metadata': metadata({ filename: 'whole.bin', ...fields }),
    })

  it('become one file, in their order, and need room once', async () => {
    const bytes = randomBytes(2_500_000)
    const before = await reserved()
    const parts = await Promise.all([
      part(bytes.subarray(0, 1_000_000)),
      part(bytes.subarray(1_000_000, 1_000_000)),
      part(bytes.subarray(1_000_000)),
    ])
    expect(await reserved()).toBe(before + 2_500_000)
    const head = await tus('HEAD', parts[0] ?? '')
    expect(head.headers.get('upload-concat')).toBe('partial')
    expect(head.headers.get('skypool-file-id')).toBeNull()
    const addresses = parts.map((path, index) => (index === 0 ? `${http.url}${path}` : path))
    const whole = await finish(addresses)
    expect([whole.status, whole.headers.get('upload-length')]).toEqual([201, '2500000'])
    const file = await fileOf(whole.headers)
    expect(file).toMatchObject({ name: 'whole.bin', size: 2_500_000 })
    expect(file.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(await reserved()).toBe(before)
    const said = await tus('HEAD', whole.headers.get('location') ?? '')
    expect(said.headers.get('upload-concat')).toBe(`final;${addresses.join(' ')}`)
    expect(said.headers.get('upload-offset')).toBe('2500000')
    expect(await http.store.listStaged()).not.toContain(parsePublicId(parts[0]?.split('/').at(-1) ?? '')?.id)
    // A response was lost: repeating the request returns the same file.
    const again = await finish(addresses)
    expect(again.headers.get('location')).toBe(whole.headers.get('location'))
    expect(again.headers.get('skypool-file-id')).toBe(whole.headers.get('skypool-file-id'))
    const late = await append(whole.headers.get('location') ?? '', 2_500_000, Buffer.from('x'))
    expect(late).toMatchObject({ status: 403, body: { code: 'UPLOAD_FINAL' } })
  })

  it('wait until they are complete, and stay when the whole is refused', async () => {
    const [one, two] = [await part(Buffer.from('12345')), await part(Buffer.from('67890'), 3)]
    expect(await finish([one, two])).toMatchObject({ status: 400, body: { code: 'UPLOAD_INCOMPLETE' } })
    await append(two, 3, Buffer.from('90'))
    await append(await create(1, { 'upload-metadata': metadata({ filename: 'taken.bin' }) }), 0, Buffer.from('1'))
    const refused = await finish([one, two], { filename: 'taken.bin', onConflict: 'fail' })
    expect(refused).toMatchObject({ status: 409, body: { code: 'NAME_TAKEN' } })
    const whole = await finish([two, one], { filename: 'free.bin' })
    const sum = createHash('sha256').update('6789012345').digest('hex')
    expect((await fileOf(whole.headers)).sha256).toBe(sum)
    expect(await reserved()).toBe(await reservedByUploads())
  })

  it('are never a file by themselves, and no one else’s', async () => {
    const one = await part(Buffer.from('12345'))
    const plain = await create(5)
    const eve = await createUser(http.services.users)
    const stolen = await tus(
      'POST',
      '/api/v1/uploads',
      { 'upload-concat': `final;${one}`, 'upload-metadata': metadata({ filename: 'a.bin' }) },
      undefined,
      eve,
    )
    expect(stolen).toMatchObject({ status: 404 })
    expect(await finish([one, '/api/v1/uploads/upl_x'])).toMatchObject({ status: 404 })
    expect(await finish([plain])).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    expect(await finish([one, one])).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    for (const concat of ['final;', 'final', 'whole', 'partial ']) {
      const answer = await tus('POST', '/api/v1/uploads', {
        'upload-concat': concat,
        'upload-length': '1',
        'upload-metadata': metadata({ filename: 'a.bin' }),
      })
      expect(answer.status, concat).toBe(concat === 'partial ' ? 201 : 400)
    }
    expect((await tus('DELETE', one)).status).toBe(204)
    expect(await finish([one])).toMatchObject({ status: 404 })
  })

  it('make one file of two requests at once', async () => {
    const parts = [await part(randomBytes(300_000)), await part(randomBytes(300_000))]
    const answers = await Promise.all([0, 1, 2].map(() => finish(parts, { filename: 'once.bin' })))
    const made = answers.filter(({ status }) => status === 201).map(({ headers }) => headers.get('skypool-file-id'))
    expect(new Set(made).size).toBe(1)
    expect(answers.filter(({ status }) => status !== 201).every(({ status }) => status === 409)).toBe(true)
    expect(await reserved()).toBe(await reservedByUploads())
  })

  it('live on when the whole was begun and its process died', async () => {
    const bytes = randomBytes(100_000)
    const ids = [await part(bytes.subarray(0, 40_000)), await part(bytes.subarray(40_000))]
    const partIds = ids.map((path) => parsePublicId(path.split('/').at(-1) ?? '')?.id ?? '')
    await http.database.pool.query('update uploads set final_id = $1 where id = any($2)', [randomUUID(), partIds])
    const { services } = await http.restart()
    const input = { name: 'after.bin', partIds, concat: 'final;a b' }
    const { fileId } = await services.uploads.concatenate(ada.viewer, input)
    const file = await services.files.get(ada.viewer, fileId ?? '')
    expect(file.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  })
})

/** Reserved bytes according to the accounts, and according to the uploads. */
const reserved = () => sumOf('select sum(reserved_bytes)::float8 as bytes from accounts')
const reservedByUploads = () => sumOf('select coalesce(sum(bytes), 0)::float8 as bytes from upload_reservations')
async function sumOf(sql: string): Promise<number> {
  return (await http.database.pool.query<{ bytes: number }>(sql)).rows[0]?.bytes ?? Number.NaN
}

describe('connections that break', () => {
  const patchHead = (location: string, offset: number, length: number) => [
    `PATCH ${location} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Origin: http://127.0.0.1',
    `Cookie: sid=${ada.token}`,
    'Tus-Resumable: 1.0.0',
    'Content-Type: application/offset+octet-stream',
    `Upload-Offset: ${offset}`,
    `Content-Length: ${length}`,
  ]

  it('resumes after 20 cuts from where the server says it is', async () => {
    const bytes = randomBytes(2_000_000)
    const location = await create(bytes.length)
    let offset = 0
    for (let cut = 0; cut < 20; cut += 1) {
      const sent = 1 + Math.floor(Math.random() * 90_000)
      await cutAfter(
        http.port,
        patchHead(location, offset, bytes.length - offset),
        bytes.subarray(offset, offset + sent),
      )
      const told = Number((await tus('HEAD', location)).headers.get('upload-offset'))
      // The last bytes may be lost with their connection; `npm run crash-test` prints how many at most.
      expect(told).toBeGreaterThanOrEqual(offset)
      expect(told).toBeLessThanOrEqual(offset + sent)
      offset = told
    }
    expect(offset).toBeGreaterThan(0)
    const last = await append(location, offset, bytes.subarray(offset))
    expect((await fileOf(last.headers)).sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  it('lets one of two senders at once through', async () => {
    const bytes = randomBytes(1_000_000)
    const location = await create(bytes.length)
    const answers = await Promise.all([append(location, 0, bytes), append(location, 0, bytes)])
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
  })

  it('takes over from a connection that fell silent', async () => {
    const location = await create(100)
    const opened: ReturnType<typeof openRaw>[] = []
    let offset = 0
    // The bytes may need a while to arrive: a connection that is taken over before that is replaced by another one.
    for (let wait = 100; offset === 0; wait *= 2) {
      const silent = openRaw(http.port, patchHead(location, 0, 100))
      silent.write(Buffer.alloc(30))
      await sleep(wait)
      offset = Number((await tus('HEAD', location)).headers.get('upload-offset'))
      if (offset === 0) silent.destroy()
      else opened.push(silent)
    }
    expect(offset).toBe(30)
    expect(await append(location, offset, Buffer.alloc(70))).toMatchObject({ status: 204 })
    for (const silent of opened) silent.destroy()
  })
})

it('puts the file where the metadata says', async () => {
  const folder = await http.services.files.createFolder(ada.viewer, { name: 'Target', parentId: null })
  const fields = { filename: 'a.bin', parentId: publicId('File', folder.id), onConflict: 'rename' }
  const answer = await append(await create(1, { 'upload-metadata': metadata(fields) }), 0, Buffer.from([0]))
  expect(await fileOf(answer.headers)).toMatchObject({ parentId: folder.id, name: 'a.bin' })
})

describe('a path of folders', () => {
  const begin = async (relativePath: string, more: Record<string, string> = {}) => {
    const fields = { filename: 'plan.txt', relativePath, ...more }
    const { status, headers, body } = await tus(
      'POST',
      '/api/v1/uploads',
      { ...BYTES, 'upload-length': '4', 'upload-metadata': metadata(fields) },
      Buffer.from('plan'),
    )
    return { status, body, file: status === 201 ? await fileOf(headers) : null }
  }
  const namesAbove = async (parentId: string | null): Promise<string[]> => {
    if (parentId === null) return []
    const { name, parentId: next } = await http.services.files.get(ada.viewer, parentId)
    return [...(await namesAbove(next)), name]
  }

  it('is made where it is missing, once for all files of it', async () => {
    const paths = ['Trip/Day 1/a.txt', 'Trip/Day 1/b.txt', '/Trip/Day 2/c.txt', 'trip/d.txt']
    const made = await Promise.all(paths.map((path) => begin(path)))
    const above = await Promise.all(made.map(({ file }) => namesAbove(file?.parentId ?? null)))
    expect(above.map((names) => names.join('/').toLowerCase())).toEqual([
      'trip/day 1',
      'trip/day 1',
      'trip/day 2',
      'trip',
    ])
    expect(made[0]?.file?.parentId).toBe(made[1]?.file?.parentId)
    const below = await http.services.files.createFolder(ada.viewer, { name: 'Below', parentId: null })
    const { file } = await begin('Inner/e.txt', { parentId: publicId('File', below.id) })
    expect(await namesAbove(file?.parentId ?? null)).toEqual(['Below', 'Inner'])
  })

  it('may be none, and leads nowhere else', async () => {
    for (const path of ['plan.txt', 'null', '/plan.txt']) expect((await begin(path)).file?.parentId, path).toBeNull()
    const deep = `${'d/'.repeat(101)}b.txt`
    for (const path of ['../../etc/a.txt', 'a/./b.txt', 'a/../b.txt', `${'x'.repeat(300)}/b.txt`, deep]) {
      expect(await begin(path), path).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    }
    await begin('plan.txt', { filename: 'File' })
    expect(await begin('file/b.txt')).toMatchObject({ status: 409, body: { code: 'NAME_TAKEN' } })
  })
})
