import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId, publicId } from '../../server/lib/ids.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'
import { createGraphqlClient, mutate } from '../setup/graphqlClient.ts'

let server: FilesServer
let ada: SignedIn
beforeAll(async () => {
  server = await startFilesServer()
})
afterAll(() => server.close())

const file = (id: string) => publicId('File', id)
const copy = (ids: readonly string[], parentId: string | null, more: object = {}, headers = {}) =>
  ada.browser.request(
    'POST',
    '/api/v1/files/copy',
    { ids: ids.map(file), parentId: parentId && file(parentId), ...more },
    headers,
  )
const bytesOf = async (id: string) =>
  Buffer.from(
    await (await fetch(`${server.url}/api/v1/files/${id}/download`, { headers: { cookie: ada.cookie } })).arrayBuffer(),
  )
const setUp = async () => {
  ada = await server.signIn()
}
const countOf = async () => {
  const { rows } = await server.pool.query('select count(*)::int as count from files where user_id = $1', [
    ada.viewer.userId,
  ])
  return rows[0].count as number
}
/** Every path below a folder, with its entry. */
async function treeOf(id: string, prefix = ''): Promise<string[]> {
  const { body } = await ada.browser.request('GET', `/api/v1/files?parentId=${id}`)
  const paths: string[] = []
  for (const item of body.items) {
    const path = `${prefix}${item.name}`
    paths.push(item.kind === 'FOLDER' ? `${path}/` : `${path}: ${await bytesOf(item.id)}`)
    if (item.kind === 'FOLDER') paths.push(...(await treeOf(item.id, `${path}/`)))
  }
  return paths
}
const sentences = async () => {
  const { body } = await ada.browser.request('GET', '/api/v1/activity?limit=200')
  return body.items.map(({ sentence }: { sentence: string }) => sentence) as string[]
}

describe('a copy of a file', () => {
  it('has the same bytes under the same name, and the original stays', async () => {
    await setUp()
    const target = await ada.make({ kind: 'FOLDER', name: 'Target' })
    const content = randomBytes(1_500_000)
    const id = await ada.make({ name: 'plan.bin', content, starred: true })
    const { status, body } = await copy([id], target)
    expect(status).toBe(201)
    expect(body.items).toMatchObject([
      { name: 'plan.bin', parentId: file(target), size: content.length, starred: false, state: 'STORED' },
    ])
    expect(body.items[0].id).not.toBe(file(id))
    expect((await bytesOf(body.items[0].id)).equals(content)).toBe(true)
    expect((await bytesOf(file(id))).equals(content)).toBe(true)
    const { usedBytes } = await server.services.accounts.quota(ada.viewer)
    expect(usedBytes).toBe(2 * content.length)
  })

  it('beside the original has a number, empty files and types that uploads refuse included', async () => {
    await setUp()
    const ids = [
      await ada.make({ name: 'tool.exe', content: 'MZ' }),
      await ada.make({ name: 'empty.txt', content: '' }),
    ]
    expect((await copy(ids, null)).body.items).toMatchObject([
      { name: 'tool (2).exe' },
      { name: 'empty (2).txt', size: 0 },
    ])
    expect((await copy(ids, null)).body.items).toMatchObject([{ name: 'tool (3).exe' }, { name: 'empty (3).txt' }])
  })

  it('belongs to the group cloud of the original, or to the one that is asked for', async () => {
    await setUp()
    const id = await ada.make({ name: 'a.txt', content: 'a' })
    const archive = await server.services.groupClouds.create(ada.viewer, { name: 'Archive' })
    const groupCloudId = publicId('GroupCloud', archive.id)
    const [asked] = (await copy([id], null, { groupCloudId })).body.items
    expect(asked.groupCloudId).toBe(groupCloudId)
    const again = await ada.browser.request('POST', '/api/v1/files/copy', { ids: [asked.id], parentId: null })
    expect(again.body.items[0]).toMatchObject({ groupCloudId, name: 'a (2) (2).txt' })
    const [original] = (await copy([id], null)).body.items
    expect(original.groupCloudId).not.toBe(groupCloudId)
  })
})

describe('a copy of a folder', () => {
  it('has everything below it, what is in the trash left out', async () => {
    await setUp()
    const top = await ada.make({ kind: 'FOLDER', name: 'Top' })
    const inner = await ada.make({ kind: 'FOLDER', name: 'Inner', parentId: top })
    await ada.make({ kind: 'FOLDER', name: 'Empty', parentId: inner })
    await ada.make({ name: 'a.txt', parentId: top, content: 'first' })
    await ada.make({ name: 'b.txt', parentId: inner, content: 'second' })
    const gone = await ada.make({ name: 'gone.txt', parentId: inner, content: 'third' })
    await server.services.files.trash(ada.viewer, [gone])
    const { body } = await copy([top, inner], null)
    expect(body.items).toMatchObject([
      { name: 'Top (2)', kind: 'FOLDER' },
      { name: 'Inner', kind: 'FOLDER', parentId: null },
    ])
    expect(await treeOf(body.items[0].id)).toEqual(['Inner/', 'Inner/Empty/', 'Inner/b.txt: second', 'a.txt: first'])
    expect(await treeOf(body.items[1].id)).toEqual(['Empty/', 'b.txt: second'])
    expect(await treeOf(file(top))).toEqual(['Inner/', 'Inner/Empty/', 'Inner/b.txt: second', 'a.txt: first'])
  })

  it('does not go into itself nor below itself', async () => {
    await setUp()
    const top = await ada.make({ kind: 'FOLDER', name: 'Top' })
    const inner = await ada.make({ kind: 'FOLDER', name: 'Inner', parentId: top })
    for (const target of [top, inner]) {
      const { status, body } = await copy([top], target)
      expect([status, body.code]).toEqual([409, 'FOLDER_CYCLE'])
      expect(body.detail).toBe('A folder cannot be copied into itself or into a folder below it.')
    }
    expect((await copy([inner], top)).body.items).toMatchObject([{ name: 'Inner (2)' }])
  })

  it('of more than 1,000 files is refused in words, and so is one of as many folders', {
    timeout: 60_000,
  }, async () => {
    await setUp()
    const insert = (kind: string, parentId: string) =>
      server.pool.query(
        `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, size)
         select gen_random_uuid(), $1, $2, $3::"FileKind", n::text, n::text, n::text, n::text, 'OTHER', 0
         from generate_series(1, 1001) n`,
        [ada.viewer.userId, parentId, kind],
      )
    for (const kind of ['FILE', 'FOLDER']) {
      const top = await ada.make({ kind: 'FOLDER', name: `Many ${kind}` })
      await insert(kind, top)
      const { status, body } = await copy([top], null)
      expect([status, body.code, body.errors[0].path]).toEqual([400, 'INVALID_INPUT', 'ids'])
      expect(body.detail).toBe('At most 1,000 files and as many folders can be copied at once. Please select fewer.')
    }
  })
})

describe('what is refused makes nothing', () => {
  it.each(['in the trash', 'below what is in the trash', 'deleted', 'of somebody else', 'never there'])(
    'an original that is %s',
    async (which) => {
      await setUp()
      const fine = await ada.make({ name: 'fine.txt', content: 'a' })
      const folder = await ada.make({ kind: 'FOLDER', name: 'Folder' })
      const other = await ada.make({ name: 'other.txt', parentId: folder, content: 'b' })
      const bob = await server.signIn()
      const ids: Record<string, string> = {
        'of somebody else': await bob.make({ name: 'bob.txt', content: 'c' }),
        'never there': newId(),
      }
      if (which === 'in the trash') await server.services.files.trash(ada.viewer, [other])
      if (which === 'below what is in the trash') await server.services.files.trash(ada.viewer, [folder])
      if (which === 'deleted') await server.services.files.remove(ada.viewer, [other])
      const before = await countOf()
      const { status, body } = await copy([fine, ids[which] ?? other], null)
      expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
      expect(await countOf()).toBe(before)
    },
  )

  it('a target that is a file, in the trash, or of somebody else', async () => {
    await setUp()
    const id = await ada.make({ name: 'a.txt', content: 'a' })
    const bob = await server.signIn()
    const trashed = await ada.make({ kind: 'FOLDER', name: 'Trashed' })
    await server.services.files.trash(ada.viewer, [trashed])
    const before = await countOf()
    for (const target of [id, trashed, await bob.make({ kind: 'FOLDER', name: 'Bob' })]) {
      expect((await copy([id], target)).body.code).toBe('NOT_FOUND')
    }
    const [foreign] = await server.services.groupClouds.list(bob.viewer)
    const groupCloudId = publicId('GroupCloud', foreign?.id ?? '')
    expect((await copy([id], null, { groupCloudId })).body.code).toBe('NOT_FOUND')
    expect(await countOf()).toBe(before)
  })

  it('more than there is room for, all files taken together', async () => {
    await setUp()
    const [one, two] = [
      await ada.make({ name: 'one.bin', content: Buffer.alloc(600) }),
      await ada.make({ name: 'two.bin', content: Buffer.alloc(700) }),
    ]
    await server.pool.query('update accounts set quota_bytes = used_bytes + 1000 where user_id = $1', [
      ada.viewer.userId,
    ])
    const { status, body } = await copy([one, two], null)
    expect([status, body.code, body.neededBytes, body.freeBytes]).toEqual([507, 'STORAGE_FULL', 1300, 1000])
    expect(body.detail).toBe(
      'There is no room for the copies: 1.27 KB are needed, and 1000 Bytes are free in this group cloud.',
    )
    expect(await countOf()).toBe(2)
    expect((await copy([two], null)).status).toBe(201)
  })

  it('bytes that are not those of the original', async () => {
    await setUp()
    const id = await ada.make({ name: 'rotten.txt', content: 'as it was' })
    const fine = await ada.make({ name: 'fine.txt', content: 'fine' })
    await server.pool.query("update files set sha256 = decode(repeat('00', 32), 'hex') where id = $1", [id])
    const { status, body } = await copy([fine, id], null)
    expect([status, body.code]).toEqual([503, 'CONTENT_UNAVAILABLE'])
    expect(body.detail).toBe(
      '“rotten.txt” could not be copied. What was read is not what was stored. 1 of 2 files were copied before and stay.',
    )
    const { body: list } = await ada.browser.request('GET', '/api/v1/files?view=drive')
    expect(list.items.map(({ name }: { name: string }) => name)).toEqual(['fine (2).txt', 'fine.txt', 'rotten.txt'])
    expect((await sentences())[0]).toBe('You copied “fine (2).txt” to My Drive.')
  })
})

describe('under an Idempotency-Key', () => {
  it('the same call answers with what the first made, and goes on where one stopped', async () => {
    await setUp()
    const top = await ada.make({ kind: 'FOLDER', name: 'Top' })
    const [one, two] = [
      await ada.make({ name: 'a.txt', parentId: top, content: 'one' }),
      await ada.make({ name: 'b.txt', parentId: top, content: 'two' }),
    ]
    const key = { 'idempotency-key': newId() }
    const setSum = (id: string, sum: string) =>
      server.pool.query('update files set sha256 = $2 where id = $1', [id, Buffer.from(sum, 'hex')])
    const { sha256 } = await server.services.files.get(ada.viewer, two)
    await setSum(two, '00'.repeat(32))
    expect((await copy([top, one], null, {}, key)).status).toBe(503)
    await setSum(two, sha256 ?? '')
    const whole = await copy([top, one], null, {}, key)
    expect(whole.body.items).toMatchObject([{ name: 'Top (2)' }, { name: 'a.txt' }])
    expect(await treeOf(whole.body.items[0].id)).toEqual(['a.txt: one', 'b.txt: two'])
    const count = await countOf()
    // Later changes of the originals make no difference.
    await server.services.files.trash(ada.viewer, [top])
    expect((await copy([top, one], null, {}, key)).body).toEqual(whole.body)
    expect(await countOf()).toBe(count)
    expect((await copy([top], null, {}, key)).body.code).toBe('NOT_FOUND')
    await server.services.files.restore(ada.viewer, [top])
    expect((await copy([top], null, {}, key)).body.code).toBe('IDEMPOTENCY_KEY_REUSED')
    // Another server shows at once only what it has recorded itself.
    await expect
      .poll(async () => (await sentences()).filter((sentence) => sentence.includes('copied')))
      .toEqual(['You copied “a.txt” to My Drive.', 'You copied “Top (2)” to My Drive.'])
  })
})

describe('the log', () => {
  it('has one entry for a call, and none of uploads', async () => {
    await setUp()
    const target = await ada.make({ kind: 'FOLDER', name: 'Target' })
    const folder = await ada.make({ kind: 'FOLDER', name: 'Folder' })
    await ada.make({ name: 'in.txt', parentId: folder, content: 'x' })
    const id = await ada.make({ name: 'a.txt', content: 'a' })
    await copy([folder, id], target)
    await expect
      .poll(async () => (await sentences()).filter((sentence) => !sentence.includes('signed')))
      .toEqual(['You copied “Folder” and one other to “Target”.'])
  })
})

describe('by GraphQL', () => {
  it('files are copied, and refusals are typed', async () => {
    await setUp()
    const client = createGraphqlClient(server.url, ada.token)
    const folder = await ada.make({ kind: 'FOLDER', name: 'Folder' })
    const id = await ada.make({ name: 'a.txt', content: 'abc' })
    const ask = (input: object) => mutate(client, 'copyFiles', { ...input }, 'files { name size parent { id } }')
    expect(await ask({ ids: [file(id)], parentId: file(folder) })).toMatchObject({
      files: [{ name: 'a.txt', size: 3, parent: { id: file(folder) } }],
    })
    expect(await ask({ ids: [file(folder)], parentId: file(folder) })).toMatchObject({ __typename: 'FolderCycleError' })
    expect(await ask({ ids: [file(newId())] })).toMatchObject({ __typename: 'NotFoundError' })
    await server.pool.query('update accounts set quota_bytes = used_bytes where user_id = $1', [ada.viewer.userId])
    expect(await ask({ ids: [file(id)] })).toMatchObject({ __typename: 'StorageFullError', code: 'STORAGE_FULL' })
    await server.pool.query('update accounts set quota_bytes = null where user_id = $1', [ada.viewer.userId])
    await server.pool.query('delete from copies where file_id = $1', [id])
    expect(await ask({ ids: [file(id)] })).toMatchObject({
      __typename: 'ContentUnavailableError',
      message: '“a.txt” could not be copied. No copy of this file can be read now.',
    })
  })
})
