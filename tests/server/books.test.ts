import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TypeRefusedError } from '../../server/domain/errors.ts'
import { judgeType, reportedType } from '../../server/domain/files/content/types.ts'
import { sourceOfBytes } from '../../server/storage/byteSource.ts'
import { createThumbnailMaker } from '../../server/thumbnails/maker.ts'
import { book, encryption, zipBook } from '../factories/books.ts'
import { blackPng, picture } from '../factories/pictures.ts'
import { zip } from '../factories/zips.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'

/** Books (EPUB): their type, the cover as thumbnail, and their text. */
let server: FilesServer
let ada: SignedIn
let cover: Buffer
beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
  cover = await picture(600, 800).jpeg().toBuffer()
})
afterAll(() => server.close())

const maker = createThumbnailMaker({ limit: 1 })
afterAll(() => maker.close())

async function upload(name: string, content: Buffer) {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(content)], name))
  const { status, body } = await ada.browser.request('POST', '/api/v1/files', form)
  expect([name, status]).toEqual([name, 201])
  return body as { readonly id: string; readonly mimeType: string; readonly category: string }
}

async function thumbnail({ id }: { readonly id: string }, size = 'large') {
  const response = await fetch(`${server.url}/api/v1/files/${id}/thumbnail?size=${size}`, {
    headers: { cookie: ada.cookie },
  })
  const body = Buffer.from(await response.arrayBuffer())
  return { status: response.status, type: response.headers.get('content-type'), body }
}

const make = (bytes: Buffer) => maker.make({ kind: 'OFFICE', source: sourceOfBytes(bytes), sides: [640] })
const extract = (bytes: Buffer, limit = 100_000) =>
  maker.extract({ format: 'OFFICE', source: sourceOfBytes(bytes), limit })

async function textOf(bytes: Buffer, limit?: number): Promise<string> {
  const made = await extract(bytes, limit)
  if (!('text' in made)) throw new Error(made.reason)
  return made.text
}

/** More than is unpacked of one document. */
const MUCH = Buffer.alloc(140 * 1024 * 1024, `<!--${' '.repeat(1_000)}-->`)

const PARTS = {
  'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
  'book.opf':
    '<package><metadata><title>Old</title><meta name="cover" content="pic"/></metadata><manifest><item id="pic" href="a%20b.jpg" media-type="image/jpeg"/></manifest></package>',
}

describe('the type of a book', () => {
  it('is that of a document, by its content, however it was packed', async () => {
    const EXPECTED = { mimeType: 'application/epub+zip', category: 'DOCUMENT' }
    expect(await upload('a.epub', await book())).toMatchObject(EXPECTED)
    expect(await upload('b.epub', await zip(PARTS))).toMatchObject(EXPECTED)
  })

  it('is none of the documents that a server may be limited to, whatever its name', async () => {
    const bytes = await book()
    for (const name of ['a.epub', 'a.docx', 'a']) {
      await expect(judgeType(name, { head: bytes, tail: async () => bytes }, false)).rejects.toThrow(TypeRefusedError)
    }
  })

  it('is known by its name in accounts that report none', () => {
    const EXPECTED = { mimeType: 'application/epub+zip', category: 'DOCUMENT' }
    expect(reportedType('A book.epub', null)).toEqual(EXPECTED)
    expect(reportedType('A book.epub', 'application/octet-stream')).toEqual(EXPECTED)
    expect(reportedType('A book', 'application/epub+zip')).toEqual(EXPECTED)
  })
})

describe('the thumbnail of a book', () => {
  it('is its cover', async () => {
    const { status, type, body } = await thumbnail(await upload('covered.epub', await book({ cover })))
    expect([status, type]).toEqual([200, 'image/webp'])
    expect(await sharp(body).metadata()).toMatchObject({ width: 480, height: 640 })
  })

  it('is the cover that an older book names', async () => {
    const { type } = await thumbnail(await upload('old.epub', await zipBook({ ...PARTS, 'a b.jpg': cover })))
    expect(type).toBe('image/webp')
  })

  it.each<[string, () => Promise<Buffer>]>([
    ['no cover', () => book()],
    ['a cover that is no picture', () => book({ cover: Buffer.from('<svg onload="x"/>') })],
    ['a cover of too many pixels', () => book({ cover: blackPng(30_000, 30_000) })],
    [
      'a cover that leads out of the book',
      () =>
        book({
          files: {
            'OEBPS/content.opf':
              '<package><metadata><title>The Harbour Book</title><creator>Maren Ångström</creator></metadata><manifest><item id="cover" href="../../../etc/passwd" media-type="image/jpeg"/><item id="b" href="https://elsewhere.example/a.jpg" media-type="image/jpeg" properties="cover-image"/></manifest></package>',
          },
        }),
    ],
  ])('of one with %s is its title with its authors', async (_what, make) => {
    const { status, type, body } = await thumbnail(await upload('plain.epub', await make()))
    expect([status, type]).toEqual([200, 'image/svg+xml'])
    expect(body.toString()).toMatch(/The Harbour.*Book.*Maren/s)
  })

  it('is none for what is broken or too large inside', async () => {
    const bomb = Buffer.concat([Buffer.from('<package><metadata>'), MUCH])
    for (const bytes of [
      await zipBook({ 'META-INF/container.xml': '<container/>' }),
      await book({ files: { 'META-INF/container.xml': '<c><rootfile full-path="../../etc/passwd"/></c>' } }),
      await book({ files: { 'OEBPS/content.opf': '<package><metadata>' } }),
      await book({ files: { 'OEBPS/content.opf': '<!DOCTYPE p [<!ENTITY a "b">]><package>&a;</package>' } }),
      await book({ files: { 'OEBPS/content.opf': bomb } }),
      await book({ title: '', authors: [] }),
    ]) {
      expect(await make(bytes)).toMatchObject({ failure: expect.stringMatching('BROKEN|STOPPED') })
    }
    expect(await make(await book({ cover }))).toHaveProperty('pictures')
  })
})

describe('the text of a book', () => {
  it('is that of its chapters in the order of reading, without what is not shown', async () => {
    const bytes = await book({
      chapters: [
        '<h1>Quay</h1><p>har<b>bour</b></p><script>var hidden</script>',
        '<p>north&nbsp;wall &mdash; &unknown;</p><br>not <i>closed',
      ],
    })
    expect(await textOf(bytes)).toBe('Quay harbour north wall — &unknown; not closed')
    expect(await textOf(bytes, 9)).toBe('Quay h')
  })

  it('is found soon after the upload', async () => {
    await upload('found.epub', await book({ chapters: ['<p>The tide reaches the lighthouse.</p>'] }))
    const names = async () => {
      const { body } = await ada.browser.request('GET', '/api/v1/files/content-matches?q=lighthouse')
      return body.items.map(({ file }: { readonly file: { readonly name: string } }) => file.name)
    }
    await expect.poll(names, { timeout: 45_000 }).toEqual(['found.epub'])
  })

  it('is none of a protected one', async () => {
    const bytes = await book({
      files: {
        'OEBPS/text/chapter 1.xhtml': Buffer.from('ff8812fe00c3'.repeat(50), 'hex'),
        'META-INF/encryption.xml': encryption('http://www.w3.org/2001/04/xmlenc#aes128-cbc', [
          'OEBPS/text/chapter 1.xhtml',
        ]),
      },
    })
    expect(await extract(bytes)).toMatchObject({ failure: 'BROKEN' })
  })

  it('expands no entity of its own, and ends at its limit', async () => {
    const page =
      '<!DOCTYPE html [<!ENTITY a "lol"><!ENTITY f SYSTEM "file:///etc/passwd">]><html><body>x &a; &f;</body></html>'
    expect(await textOf(await book({ files: { 'OEBPS/text/chapter 1.xhtml': page } }))).toBe('x &a; &f;')
    const bomb = Buffer.concat([Buffer.from('<html><body>'), MUCH])
    const made = await extract(await book({ files: { 'OEBPS/text/chapter 1.xhtml': bomb } }))
    expect(made).toMatchObject({ failure: expect.stringMatching('BROKEN|STOPPED') })
  })
})
