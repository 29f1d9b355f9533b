import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { picture } from '../factories/pictures.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'

/** Photos and videos by the time they were taken: what is learned with their thumbnails, and the list in that order. */
let server: FilesServer
let ada: SignedIn

beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
})
afterAll(() => server.close())

const exif = (taken: string) => ({ IFD2: { DateTimeOriginal: taken } })
const photo = (taken: string | null, side = 60) => {
  const image = picture(side * 2, side).jpeg()
  return (taken === null ? image : image.withExif(exif(taken))).toBuffer()
}

async function upload(name: string, content: Buffer, parentId?: string, who = ada): Promise<string> {
  const form = new FormData()
  if (parentId) form.set('parentId', parentId)
  form.set('file', new File([new Uint8Array(content)], name))
  return (await who.browser.request('POST', '/api/v1/files', form)).body.id
}

const get = async (path: string, who = ada) => (await who.browser.request('GET', `/api/v1${path}`)).body
const draw = async (id: string) => {
  const response = await fetch(`${server.url}/api/v1/files/${id}/thumbnail`, { headers: { cookie: ada.cookie } })
  return (await response.arrayBuffer()) && response.status
}
const folder = async (name: string): Promise<string> =>
  (await ada.browser.request('POST', '/api/v1/files/folders', { name, parentId: null })).body.id

describe('facts about a picture', () => {
  it('are known once its thumbnail was made: size, and time by the clock of the camera', async () => {
    const id = await upload('taken.jpg', await photo('2019:07:14 17:20:05'))
    expect((await get(`/files/${id}`)).picture).toBeNull()
    expect(await draw(id)).toBe(200)
    const facts = { width: 120, height: 60, takenAt: '2019-07-14T17:20:05.000Z' }
    expect((await get(`/files/${id}`)).picture).toEqual(facts)
  })

  it('are those of the upright picture', async () => {
    const turned = await sharp(await photo(null))
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const id = await upload('turned.jpg', turned)
    await draw(id)
    expect((await get(`/files/${id}`)).picture).toEqual({ width: 60, height: 120, takenAt: null })
  })

  it('belong to the content: a copy has them with its first thumbnail, which is not made again', async () => {
    const content = await photo('2018:01:02 03:04:05', 70)
    await draw(await upload('first.jpg', content))
    const copy = await upload('second.jpg', content)
    await draw(copy)
    expect((await get(`/files/${copy}`)).picture).toMatchObject({ width: 140, takenAt: '2018-01-02T03:04:05.000Z' })
  })

  it('leave out times that are none', async () => {
    for (const taken of ['0000:00:00 00:00:00', '2018:13:45 10:00:00', 'yesterday']) {
      const id = await upload('odd.jpg', await photo(taken, 40 + taken.length))
      expect([taken, await draw(id)]).toEqual([taken, 200])
      expect((await get(`/files/${id}`)).picture).toMatchObject({ takenAt: null })
    }
  })
})

describe('the list of photos', () => {
  const names = (body: { items: { name: string }[] }) => body.items.map(({ name }) => name)

  it('has photos and videos only, by the time they were taken, else changed; page by page', async () => {
    const parentId = await folder('Trip')
    const years = ['2011', '2015', '2013', '2012', '2014']
    for (const [index, year] of years.entries()) {
      const id = await upload(`${year}.jpg`, await photo(`${year}:05:05 12:00:00`, 80 + index), parentId)
      await draw(id)
    }
    await upload('new.jpg', await photo(null, 99), parentId)
    await upload('notes.txt', Buffer.from('no photo'), parentId)
    await ada.browser.request('POST', '/api/v1/files/folders', { name: 'Below', parentId })
    const list = `/files?view=drive&parentId=${parentId}&sort=-taken&limit=4`
    const first = await get(list)
    expect(names(first)).toEqual(['new.jpg', '2015.jpg', '2014.jpg', '2013.jpg'])
    const second = await get(`${list}&cursor=${encodeURIComponent(first.nextCursor)}`)
    expect([names(second), second.nextCursor]).toEqual([['2012.jpg', '2011.jpg'], null])
    expect(names(await get(list.replace('-taken', 'taken')))).toEqual(['2011.jpg', '2012.jpg', '2013.jpg', '2014.jpg'])
  })

  it('of everything is those of all folders, and only of its owner', async () => {
    const { items } = await get('/files?view=all&sort=taken&limit=200')
    expect(items[0].name).toBe('2011.jpg')
    expect(new Set(items.map((item: { category: string }) => item.category))).toEqual(new Set(['IMAGE']))
    const bob = await server.signIn()
    expect(names(await get('/files?view=all&sort=-taken', bob))).toEqual([])
  })

  it('has months, counted by GraphQL', async () => {
    const { items } = await get('/files?view=drive&path=/Trip')
    const parentId = items[0].parentId
    const query = `query($selection: FileSelection) { viewer { filesSummary(selection: $selection) { photoMonths { month count } } } }`
    const variables = { selection: { view: 'DRIVE', parentId } }
    const { body } = await ada.browser.request('POST', '/graphql', { query, variables })
    const months = body.data.viewer.filesSummary.photoMonths
    expect(months.slice(1)).toEqual(
      ['2015', '2014', '2013', '2012', '2011'].map((year) => ({ month: `${year}-05`, count: 1 })),
    )
    expect(months[0]).toEqual({ month: new Date().toISOString().slice(0, 7), count: 1 })
  })
})
