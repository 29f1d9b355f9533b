import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type Api, type Harness, MIB, OTHER, reasonOf, startGoogle, USER } from './googleHarness.ts'

let google: Harness
let api: Api
beforeAll(async () => {
  google = await startGoogle()
  api = google.api()
})
afterAll(() => google.close())
beforeEach(() => google.clearFaults())

const FOLDER = 'application/vnd.google-apps.folder'
type Listed = { readonly nextPageToken?: string; readonly files: readonly { readonly name: string }[] }
const list = async (query: Record<string, string>): Promise<Listed> =>
  (await api.get(`/files?${new URLSearchParams({ fields: 'nextPageToken,files(name)', ...query })}`))
    .json as unknown as Listed
const names = async (q: string) => (await list({ q })).files.map(({ name }) => name).sort()
const folder = async (name: string): Promise<string> =>
  String((await api.post('/files', { name, mimeType: FOLDER })).json.id)
const told = (answer: Answer) => [answer.status, reasonOf(answer)]

describe('fields of the emulated Drive', () => {
  it('are few when not asked for, and only those asked for otherwise', async () => {
    const id = await api.make('fields.txt', 'abc')
    const usual = (await api.get(`/files/${id}`)).json
    expect(usual).toEqual({ kind: 'drive#file', id, name: 'fields.txt', mimeType: 'application/octet-stream' })
    expect((await api.get(`/files/${id}?fields=size,owners(emailAddress),capabilities/canEdit`)).json).toEqual({
      size: '3',
      owners: [{ emailAddress: USER }],
      capabilities: { canEdit: true },
    })
    expect((await api.get(`/files/${id}?fields=*`)).json).toMatchObject({
      md5Checksum: '900150983cd24fb0d6963f7d28e17f72',
    })
  })

  it.each(['nonsense', 'size(', 'owners(nonsense)', 'id,', 'id/x'])('refuses %s', async (fields) => {
    expect(told(await api.get(`/files/root?fields=${fields}`))).toEqual([400, 'invalidParameter'])
  })

  it('have to be named to learn about the account', async () => {
    expect(told(await api.get('/about'))).toEqual([400, 'required'])
    google.commands.addUser({ email: 'free@example.org', quotaBytes: null, usedByOthersBytes: 5 })
    const free = (await google.api('free@example.org').get('/about?fields=storageQuota')).json
    expect(free).toEqual({ storageQuota: { usage: '5', usageInDrive: '0', usageInDriveTrash: '0' } })
  })
})

describe('the search of the emulated Drive', () => {
  it('understands its language', async () => {
    const parent = await folder("It's a \\ folder")
    for (const name of ['Alpha one', 'alpha two', 'HelloWorld'])
      await api.make(name, name, { parents: [parent], appProperties: { kind: name } })
    const inside = `'${parent}' in parents`
    expect(await names(`${inside} and trashed = false`)).toEqual(['Alpha one', 'HelloWorld', 'alpha two'])
    expect(await names(`${inside} and name = 'ALPHA ONE'`)).toEqual(['Alpha one'])
    expect(await names(`${inside} and name contains 'hello'`)).toEqual(['HelloWorld'])
    expect(await names(`${inside} and name contains 'world'`)).toEqual([])
    expect(await names(`${inside} and (name = 'alpha two' or not name contains 'alpha')`)).toEqual([
      'HelloWorld',
      'alpha two',
    ])
    expect(await names(`appProperties has { key='kind' and value='Alpha one' }`)).toEqual(['Alpha one'])
    expect(await names(`name = 'It\\'s a \\\\ folder' and mimeType = '${FOLDER}'`)).toEqual(["It's a \\ folder"])
    expect(await names(`${inside} and modifiedTime > '2030-01-01T00:00:00'`)).toEqual([])
  })

  it.each(["name = 'x", "name ~ 'x'", "colour = 'x'", "name = 'x' and", "('root' in parents", 'trashed = maybe'])(
    'refuses %s',
    async (q) => {
      expect(told(await api.get(`/files?q=${encodeURIComponent(q)}`))).toEqual([400, 'invalid'])
    },
  )

  it('gives page after page, and takes no page token of another search', async () => {
    const { id: parent = '' } = await google.commands.plant({ user: USER, name: 'pages', mimeType: FOLDER })
    await google.commands.plant({ user: USER, name: 'p', parent, count: 5, size: 1 })
    const q = `'${parent}' in parents`
    const first = await list({ q, pageSize: '3', orderBy: 'name' })
    expect(first.files.map(({ name }) => name)).toEqual(['p00000', 'p00001', 'p00002'])
    const rest = await list({ q, pageSize: '3', orderBy: 'name', pageToken: first.nextPageToken ?? '' })
    expect(rest).toEqual({ files: [{ name: 'p00003' }, { name: 'p00004' }] })
    expect(told(await api.get(`/files?pageToken=${first.nextPageToken}`))).toEqual([400, 'invalid'])
    expect(told(await api.get('/files?pageSize=1001'))).toEqual([400, 'invalidParameter'])
  })

  it('lags behind when told to', async () => {
    const parent = await folder('lagging')
    const gone = await api.make('gone', '', { parents: [parent] })
    google.pass(60_000)
    await api.make('new', '', { parents: [parent] })
    await api.remove(`/files/${gone}`)
    google.plan({ kind: 'staleList' })
    expect(await names(`'${parent}' in parents`)).toEqual(['gone'])
    expect(await names(`'${parent}' in parents`)).toEqual(['new'])
  })
})

describe('a file of the emulated Drive', () => {
  it('may have the name of another', async () => {
    await Promise.all([api.make('same', '1'), api.make('same', '2')])
    expect(await names("name = 'same'")).toEqual(['same', 'same'])
  })

  it('is moved, renamed and trashed, but not into itself nor into two folders', async () => {
    const [one, two] = [await folder('one'), await folder('two')]
    const id = await api.make('moved', 'x', { parents: [one] })
    expect(told(await api.patch(`/files/${id}?addParents=${two}`))).toEqual([403, 'cannotAddParent'])
    expect(told(await api.patch(`/files/${id}`, { parents: [two] }))).toEqual([403, 'fieldNotWritable'])
    const moved = await api.patch(`/files/${id}?addParents=${two}&removeParents=${one}&fields=parents,name`, {
      name: 'renamed',
    })
    expect(moved.json).toEqual({ parents: [two], name: 'renamed' })
    await api.patch(`/files/${one}?addParents=${two}&removeParents=root`)
    const cycle = await api.patch(`/files/${two}?addParents=${one}&removeParents=root`)
    expect(told(cycle)).toEqual([403, 'cyclicMembershipNotAllowed'])
    await api.patch(`/files/${two}`, { trashed: true })
    expect((await api.get(`/files/${id}?fields=trashed,explicitlyTrashed`)).json).toEqual({
      trashed: true,
      explicitlyTrashed: false,
    })
    expect((await api.remove(`/files/${two}`)).status).toBe(204)
    expect(told(await api.get(`/files/${id}`))).toEqual([404, 'notFound'])
  })

  it('counts in the quota until its last copy is gone, in the trash too', async () => {
    const used = async (): Promise<unknown> =>
      (await api.get('/about?fields=storageQuota(usageInDrive,usageInDriveTrash)')).json.storageQuota
    await google.commands.plant({ user: USER, name: 'quota', size: 0 })
    const before = Number(((await used()) as { usageInDrive: string }).usageInDrive)
    const id = await api.make('counted', Buffer.alloc(1000))
    const copy = await api.post(`/files/${id}/copy`, { name: 'copied' })
    await api.patch(`/files/${id}`, { trashed: true })
    expect(await used()).toEqual({ usageInDrive: String(before + 2000), usageInDriveTrash: '1000' })
    expect((await api.remove('/files/trash')).status).toBe(204)
    expect((await api.get(`/files/${copy.json.id}?alt=media`)).bytes).toEqual(Buffer.alloc(1000))
  })

  it('is deleted once, though it lies in the trash by itself and with its folder', async () => {
    const parent = await folder('both')
    const id = await api.make('both.bin', Buffer.alloc(3000), { parents: [parent] })
    const copy = await api.post(`/files/${id}/copy`, { parents: ['root'] })
    for (const one of [id, parent]) await api.patch(`/files/${one}`, { trashed: true })
    await api.remove('/files/trash')
    expect(told(await api.get(`/files/${id}`))).toEqual([404, 'notFound'])
    expect((await api.get(`/files/${copy.json.id}?alt=media`)).bytes).toEqual(Buffer.alloc(3000))
  })

  it('keeps properties, of which null takes one away', async () => {
    const id = await api.make('properties', '', { appProperties: { a: '1', b: '2' } })
    const { json } = await api.patch(`/files/${id}?fields=appProperties`, { appProperties: { a: null, c: '3' } })
    expect(json).toEqual({ appProperties: { b: '2', c: '3' } })
    expect(told(await api.patch(`/files/${id}`, { appProperties: { long: 'x'.repeat(130) } }))).toEqual([
      403,
      'propertyKeyOrValueTooLong',
    ])
  })
})

describe('a download from the emulated Drive', () => {
  it('gives the whole, or a range', async () => {
    const id = await api.make('ranges', '0123456789')
    const range = async (text: string) => {
      const { status, headers, bytes } = await api.get(`/files/${id}?alt=media`, { Range: text })
      return [status, headers.get('content-range'), status === 416 ? '' : bytes.toString()]
    }
    expect((await api.get(`/files/${id}?alt=media`)).bytes.toString()).toBe('0123456789')
    expect(await range('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await range('bytes=8-99')).toEqual([206, 'bytes 8-9/10', '89'])
    expect(await range('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await range('bytes=10-')).toEqual([416, 'bytes */10', ''])
    expect(await range('bytes=4-2')).toEqual([200, null, '0123456789'])
  })

  it('of folders, and of what is marked as harmful, is refused', async () => {
    expect(told(await api.get(`/files/${await folder('f')}?alt=media`))).toEqual([403, 'fileNotDownloadable'])
    const id = await api.make('harmful', 'x')
    await google.commands.alter({ user: USER, id, abusive: true })
    expect(told(await api.get(`/files/${id}?alt=media`))).toEqual([403, 'cannotDownloadAbusiveFile'])
    expect((await api.get(`/files/${id}?alt=media&acknowledgeAbuse=true`)).status).toBe(200)
  })

  it('plays its faults', async () => {
    const [id, other] = [await api.make('bytes', 'abcdef'), await api.make('other', 'ABCDEF')]
    const read = async () => (await api.get(`/files/${id}?alt=media`, { Range: 'bytes=0-3' })).bytes.toString()
    google.plan({ kind: 'flip', operation: 'drive.files.download', at: 1 })
    expect([await read(), await read()]).toEqual(['accd', 'abcd'])
    google.plan({ kind: 'wrongObject' })
    expect([await read(), other.length]).toEqual(['ABCD', 33])
    google.plan({ kind: 'ignoreRange' })
    expect(await read()).toBe('abcdef')
    google.plan({ kind: 'shortBody', bytes: 2, agreeing: true })
    expect(await read()).toBe('ab')
    google.plan({ kind: 'shortBody' })
    await expect(read()).rejects.toThrow()
    google.plan({ kind: 'cutDown', bytes: 2 })
    await expect(read()).rejects.toThrow()
    google.plan({ kind: 'gzip' })
    expect((await api.get(`/files/${id}?alt=media`)).headers.get('content-encoding')).toBe('gzip')
    google.plan({ kind: 'policy', operation: 'drive.files.download' })
    expect(told(await api.get(`/files/${id}?alt=media`))).toEqual([403, 'downloadQuotaExceeded'])
  })
})

describe('what an app may see', () => {
  it('is only its own with drive.file', async () => {
    const { id = '' } = await google.commands.plant({ user: USER, name: 'not of the app', text: 'x' })
    const small = google.api(USER, 'https://www.googleapis.com/auth/drive.file')
    const own = await small.make('of the app', 'y')
    expect(told(await small.get(`/files/${id}`))).toEqual([404, 'notFound'])
    expect(told(await small.patch(`/files/${id}`, { name: 'z' }))).toEqual([403, 'appNotAuthorizedToFile'])
    expect(told(await small.get('/files/root'))).toEqual([404, 'notFound'])
    expect((await small.get(`/files/${own}?fields=name`)).json).toEqual({ name: 'of the app' })
    expect((await small.get("/files?q=name='not of the app'&fields=files")).json).toEqual({ files: [] })
  })

  it('is nothing to be written with drive.readonly', async () => {
    const reader = google.api(USER, 'https://www.googleapis.com/auth/drive.readonly')
    expect(told(await reader.post('/files', { name: 'x' }))).toEqual([403, 'insufficientPermissions'])
    expect((await reader.get('/files')).status).toBe(200)
  })

  it('is what was shared with its user, and for everybody by link', async () => {
    const id = await api.make('shared', 'for you')
    const other = google.api(OTHER)
    expect((await other.get(`/files/${id}`)).status).toBe(404)
    const body = { type: 'user', role: 'reader', emailAddress: OTHER }
    const permission = (await api.post(`/files/${id}/permissions`, body)).json
    expect((await other.get(`/files/${id}?alt=media`)).bytes.toString()).toBe('for you')
    expect((await other.get('/files?q=sharedWithMe=true&fields=files(name)')).json).toEqual({
      files: [{ name: 'shared' }],
    })
    expect(told(await other.remove(`/files/${id}`))).toEqual([403, 'insufficientFilePermissions'])
    expect((await api.remove(`/files/${id}/permissions/${permission.id}`)).status).toBe(204)
    expect((await other.get(`/files/${id}`)).status).toBe(404)
    const link = await api.post(`/files/${id}/permissions`, { type: 'anyone', role: 'reader' })
    expect(link.json).toEqual({ kind: 'drive#permission', id: 'anyoneWithLink', type: 'anyone', role: 'reader' })
    const address = `${google.url}/@drive.google.com/uc?id=${id}&export=download`
    expect(await (await fetch(address)).text()).toBe('for you')
    const all = await api.get(`/files/${id}/permissions?fields=permissions(id)`)
    expect((all.json as unknown as { permissions: object[] }).permissions).toContainEqual({ id: 'anyoneWithLink' })
    await api.remove(`/files/${id}/permissions/anyoneWithLink`)
    expect((await fetch(address)).status).toBe(403)
    expect(told(await api.remove(`/files/${id}/permissions/anyoneWithLink`))).toEqual([404, 'notFound'])
  })

  it('is not shared where the administrator forbids it, nor by link until a date', async () => {
    const id = await api.make('kept', '')
    google.plan({ kind: 'policy', operation: 'drive.permissions.create' })
    const share = (more: object) => api.post(`/files/${id}/permissions`, { type: 'anyone', role: 'reader', ...more })
    expect(told(await share({}))).toEqual([403, 'publishOutNotPermitted'])
    expect(told(await share({ expirationTime: '2026-12-24T00:00:00Z' }))).toEqual([403, 'cannotSetExpiration'])
    expect(told(await share({ role: 'king' }))).toEqual([400, 'invalid'])
  })
})

describe('changes of the emulated Drive', () => {
  it('tell what happened, also outside the app, page after page', async () => {
    const start = (await api.get('/changes/startPageToken')).json.startPageToken
    const kept = await api.make('kept', '1')
    const { id: outside = '' } = await google.commands.plant({ user: USER, name: 'outside', text: 'x' })
    await google.commands.alter({ user: USER, id: outside, text: 'y' })
    await api.patch(`/files/${kept}`, { trashed: true })
    const gone = await api.make('gone', '2')
    await google.commands.remove({ id: gone })
    const all: unknown[] = []
    let token: string | undefined = start
    let last: string | undefined
    while (token) {
      const query = `pageToken=${token}&pageSize=2&fields=nextPageToken,newStartPageToken,changes(fileId,removed,file(name,trashed))`
      const page = (await api.get(`/changes?${query}`)).json as unknown as Record<string, string> & {
        changes: object[]
      }
      all.push(...page.changes)
      token = page.nextPageToken
      last = page.newStartPageToken
    }
    expect(all).toEqual([
      { fileId: outside, removed: false, file: { name: 'outside', trashed: false } },
      { fileId: kept, removed: false, file: { name: 'kept', trashed: true } },
      { fileId: gone, removed: true },
    ])
    expect((await api.get(`/changes?pageToken=${last}&fields=changes`)).json).toEqual({ changes: [] })
    expect(told(await api.get('/changes'))).toEqual([400, 'required'])
    expect(told(await api.get('/changes?pageToken=never'))).toEqual([400, 'invalid'])
  })
})

describe('commands about files', () => {
  it('plant, flip and list, with the same bytes for the same name', async () => {
    const { id = '' } = await google.commands.plant({
      user: OTHER,
      name: 'big',
      size: 2 * MIB,
      appProperties: { x: 'y' },
    })
    const find = async () => (await google.commands.objects({ user: OTHER })).find((one) => one.id === id)
    const before = await find()
    expect(before).toMatchObject({ path: '/big', size: 2 * MIB, trashed: false, appProperties: { x: 'y' } })
    await google.commands.alter({ user: OTHER, id, flipAt: MIB })
    expect((await find())?.sha256).not.toBe(before?.sha256)
    await google.commands.alter({ user: OTHER, id, flipAt: MIB })
    expect((await find())?.sha256).toBe(before?.sha256)
  })
})
