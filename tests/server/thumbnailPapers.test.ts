import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lookOf } from '../../server/domain/thumbnails/kinds.ts'
import { publicId } from '../../server/lib/ids.ts'
import { sourceOfBytes } from '../../server/storage/byteSource.ts'
import { createThumbnailMaker } from '../../server/thumbnails/maker.ts'
import { picture } from '../factories/pictures.ts'
import { hugeZip, zip } from '../factories/zips.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'

/** Thumbnails of texts and office documents: their beginning on paper, or an honest "none". */
let server: FilesServer
let ada: SignedIn
beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
})
afterAll(() => server.close())

const maker = createThumbnailMaker({ limit: 1 })
afterAll(() => maker.close())

const document = (name: string) => readFileSync(`tests/factories/documents/${name}`)
const fixture = (name: string) => readFileSync(`tests/e2e/fixtures/${name}`)

async function upload(name: string, content: Buffer | string): Promise<string> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(Buffer.from(content))], name))
  const { status, body } = await ada.browser.request('POST', '/api/v1/files', form)
  expect([name, status]).toEqual([name, 201])
  return body.id
}

async function thumbnail(id: string, query = '') {
  const response = await fetch(`${server.url}/api/v1/files/${id}/thumbnail${query}`, {
    headers: { cookie: ada.cookie },
  })
  const body = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, type: response.headers.get('content-type'), body }
}

/** The texts of an SVG in their order. @throws when it is not well-formed, or contains anything else than text, lines and boxes */
function textsOf(svg: Buffer): string[] {
  const texts: string[] = []
  let text: string | null = null
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    expect(['svg', 'rect', 'path', 'text', 'tspan']).toContain(name)
    for (const [key, value] of Object.entries(attributes)) {
      expect(key).not.toMatch(/^on|href|style/)
      expect(String(value)).not.toMatch(/url|javascript/)
    }
    if (name === 'text') text = ''
  })
  parser.on('text', (value) => {
    if (text !== null) text += value
  })
  parser.on('closetag', ({ name }) => {
    if (name === 'text' && text !== null) texts.push(text)
    if (name === 'text') text = null
  })
  parser.write(svg.toString()).close()
  return texts
}

async function shownOf(name: string, content: Buffer | string, query = ''): Promise<string[]> {
  const { status, type, body } = await thumbnail(await upload(name, content), query)
  expect([name, status, type]).toEqual([name, 200, 'image/svg+xml'])
  return textsOf(body)
}

describe('the beginning of a text', () => {
  it('is an SVG in three sizes, which browsers run nothing of', async () => {
    const id = await upload('notes.txt', 'Structural notes\n\nAxis C: no cracks.\n')
    for (const [size, width, height] of [
      ['small', 96, 96],
      ['medium', 320, 240],
      ['large', 640, 480],
    ] as const) {
      const { headers, body } = await thumbnail(id, `?size=${size}`)
      expect(headers.get('content-type')).toBe('image/svg+xml')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(body.toString()).toContain(`width="${width}" height="${height}"`)
      expect(textsOf(body)).toEqual(['Structural notes', 'Axis C: no cracks.'])
    }
  })

  it('of Markdown has its titles and points without their marks, and of code its lines as they are', async () => {
    const markdown =
      '---\ntitle: x\n---\n# Brief *for* the client\n\nHarbour House\nopens.\n\n- **Lift**: one\n- [Roof](https://x.example)\n'
    expect(await shownOf('brief.md', markdown)).toEqual([
      'Brief for the client',
      'Harbour House opens.',
      '– Lift: one',
      '– Roof',
    ])
    expect(await shownOf('areas.ts', 'if (a) {\n\treturn 1\n}\n')).toEqual(['if (a) {', '    return 1', '}'].map(fixed))
  })

  it('of a table is its cells', async () => {
    expect(await shownOf('budget.csv', 'Budget,Oct\n"Engineers, all","8,400"\n')).toEqual([
      'Budget',
      'Oct',
      'Engineers, all',
      '8,400',
    ])
    expect(await shownOf('semicolons.csv', 'a;b\n1,5;2\n')).toEqual(['a', 'b', '1,5', '2'])
    expect(await shownOf('budget.tsv', 'a\tb\n1\t2\n')).toEqual(['a', 'b', '1', '2'])
  })

  it('has another address under a name that is drawn differently, and the same picture for the same kind', async () => {
    const url = async (id: string) => {
      const query = 'query ($id: ID!) { node(id: $id) { ... on File { thumbnailUrl(size: MEDIUM) } } }'
      const { body } = await ada.browser.request('POST', '/graphql', { query, variables: { id } })
      return new URL(body.data.node.thumbnailUrl, server.url)
    }
    const content = '# The same'
    const [text, markdown, other] = [
      await upload('a.txt', content),
      await upload('a.md', content),
      await upload('b.md', content),
    ]
    const tags = (await Promise.all([text, markdown, other].map(url))).map(({ searchParams }) =>
      searchParams.get('content'),
    )
    expect(tags[0]).not.toBe(tags[1])
    expect(tags[1]).toBe(tags[2])
    const cached = await thumbnail(markdown, (await url(markdown)).search)
    expect(cached.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    expect(textsOf(cached.body)).toEqual(['The same'])
    await ada.browser.request('PATCH', `/api/v1/files/${markdown}`, { name: 'a again.txt' })
    expect(textsOf((await thumbnail(markdown)).body)).toEqual(['# The same'])
  })

  it('cannot write tags, turn the direction of a name, or cover other lines', async () => {
    const hostile = `<script>alert(1)</script>&amp;<![CDATA[\n"quoted" \u202egnp.exe\u2066\n${`a${'\u0301'.repeat(500)}`}\n]]>`
    expect(await shownOf('evil.txt', hostile)).toEqual([
      '<script>alert(1)</script>&amp;<![CDATA[',
      '"quoted" gnp.exe',
      'a\u0301\u0301\u0301',
      ']]>',
    ])
  })

  it('of markup that is called a picture is its text', async () => {
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg"/>'
    expect(await shownOf('logo.png', drawing)).toEqual([fixed(drawing.slice(0, 39))])
  })

  it('of one endless line, of many lines and of every encoding is a page', async () => {
    expect((await shownOf('long.txt', 'x'.repeat(3_000_000))).length).toBeLessThan(20)
    expect((await shownOf('long.log', 'line\n'.repeat(500_000))).length).toBeLessThan(20)
    expect(await shownOf('utf16.txt', Buffer.from('\ufeffGröße', 'utf16le'))).toEqual(['Größe'])
    expect(await shownOf('latin.txt', Buffer.from('Größe', 'latin1'))).toEqual(['Größe'])
    expect(await shownOf('arabic.txt', 'مرحبا')).toEqual(['مرحبا'])
  })

  it('is not that of the same bytes as something else, and goes with the content', async () => {
    const bytes = Buffer.from('not a picture')
    const photo = await ada.make({ name: 'x.png', mimeType: 'image/png', category: 'IMAGE', content: bytes })
    const text = await upload('x.txt', bytes)
    expect((await thumbnail(publicId('File', photo))).status).toBe(404)
    expect(textsOf((await thumbnail(text)).body)).toEqual(['not a picture'])
    const key = createHash('sha256').update(bytes).digest('hex')
    const stored = join(server.dataDir, 'thumbnails', key.slice(0, 2), `${key}.text`)
    expect(existsSync(stored)).toBe(true)
    await ada.browser.request('DELETE', `/api/v1/files/${text}?permanent=true`)
    await expect.poll(() => existsSync(stored)).toBe(false)
  })
})

const fixed = (line: string) => line.replaceAll(' ', '\u00a0')

describe('the beginning of an office document', () => {
  it.each<[string, Buffer, readonly string[]]>([
    ['letter.docx', document('quay.docx'), ['Mooring plan', 'Second paragraph: tidetable.']],
    [
      'report.docx',
      fixture('harbour.docx'),
      ['Harbour report', 'The north wall is longer than it looks.', 'Quay\u00a0\u00a0\u00a0 120'],
    ],
    [
      'quay.xlsx',
      document('quay.xlsx'),
      ['Part', 'Metres', 'Remark', 'Quay', '120.5', 'Ångström gauge', 'North wall', '340', 'checked, twice'],
    ],
    ['plan.pptx', fixture('harbour.pptx'), ['Harbour plan']],
  ])('%s is drawn', async (name, bytes, expected) => {
    expect(await shownOf(name, bytes)).toEqual(expect.arrayContaining([...expected]))
  })

  it('is the picture of its first page where it contains one, and text where that is broken', async () => {
    const page = await picture(200, 260).jpeg().toBuffer()
    const word = (preview: Buffer) =>
      zip({
        '[Content_Types].xml': '<Types/>',
        'word/document.xml': '<w:document xmlns:w="w"><w:p><w:t>Text</w:t></w:p></w:document>',
        'docProps/thumbnail.jpeg': preview,
      })
    const { type, body } = await thumbnail(await upload('with page.docx', await word(page)))
    expect(type).toBe('image/webp')
    expect(await sharp(body).metadata()).toMatchObject({ width: 200, height: 260 })
    expect(await shownOf('broken page.docx', await word(Buffer.from('no picture')))).toEqual(['Text'])
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"/>')
    expect(await shownOf('drawn page.docx', await word(drawing))).toEqual(['Text'])
  })

  it('of OpenDocument is read too, and its page is shown', async () => {
    for (const [name, kind] of [
      ['quay.odt', 'text'],
      ['quay.ods', 'spreadsheet'],
    ] as const) {
      const mimeType = `application/vnd.oasis.opendocument.${kind}`
      const id = await ada.make({ name, mimeType, category: 'OTHER', content: document(name) })
      const { status, type, body } = await thumbnail(publicId('File', id))
      expect([name, status, type]).toEqual([name, 200, kind === 'text' ? 'image/webp' : 'image/svg+xml'])
      if (kind === 'spreadsheet') expect(textsOf(body)).toContain('Ångström gauge')
    }
  })

  it('shows numbers of Excel as the sheet does: dates, percent and thousands', async () => {
    const styles = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellXfs><xf numFmtId="0"/>
      <xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="10"/><xf numFmtId="3"/></cellXfs></styleSheet>`
    const cells = [
      [46234, 1],
      [46234.75, 2],
      [0.125, 3],
      [18700, 4],
      [0.30000000000000004, 0],
    ]
    const row = cells.map(([value, style], at) => `<c r="${'ABCDE'[at]}1" s="${style}"><v>${value}</v></c>`).join('')
    const bytes = await zip({
      '[Content_Types].xml': '<Types/>',
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row r="1">${row}</row><row r="3"><c r="B3" t="inlineStr"><is><t>in</t></is></c>
        <c r="XFD3"><v>9</v></c></row><row r="1048576"><c r="A1048576"><v>9</v></c></row></sheetData></worksheet>`,
      'xl/styles.xml': styles,
    })
    expect(await shownOf('formats.xlsx', bytes)).toEqual(['2026-07-31', '2026-07-31', '12.50%', '18,700', '0.3', 'in'])
  })
})

describe('hostile documents', () => {
  const make = (bytes: Buffer) => maker.make({ kind: 'OFFICE', source: sourceOfBytes(bytes), sides: [64] })

  it('are BROKEN, never a crash, and the same process reads the next one', async () => {
    await make(document('quay.docx'))
    const [pid] = maker.pids()
    const xml = (body: string) => zip({ 'word/document.xml': body })
    const cases = [
      Buffer.from('no archive'),
      Buffer.from('PK\x05\x06'),
      document('quay.docx').subarray(0, 3_000),
      await xml('<w:document xmlns:w="w"><w:p><w:t>never closed'),
      await xml('<!DOCTYPE d [<!ENTITY e "lol">]><w:document xmlns:w="w"><w:p><w:t>&e;</w:t></w:p></w:document>'),
      await xml('<w:document xmlns:w="w"/>'),
      await zip({ 'xl/worksheets/sheet1.xml': '<worksheet><row r="-5"><c r="A-5"><v>1</v></c></row></worksheet>' }),
      await zip({ 'nothing.txt': 'x' }),
    ]
    for (const bytes of cases) expect(await make(bytes)).toMatchObject({ failure: 'BROKEN' })
    expect(maker.pids()).toEqual([pid])
  })

  it('that unpack to much more than they are end at the limits', async () => {
    const noPage = hugeZip('docProps/thumbnail.jpeg', Buffer.alloc(20 * 1024 * 1024))
    expect(await make(noPage)).toMatchObject({ failure: 'BROKEN' })
    const nested = Buffer.from(`<a xmlns="w">${'<b>'.repeat(2_000_000)}`)
    expect(await make(hugeZip('word/document.xml', nested))).toMatchObject({
      failure: expect.stringMatching('BROKEN|STOPPED'),
    })
    const cell = `<worksheet><row r="1"><c r="A1" t="s"><v>999999999</v></c></row></worksheet>`
    expect(await make(hugeZip('xl/worksheets/sheet1.xml', Buffer.from(cell)))).toHaveProperty('failure')
    expect(await make(document('quay.docx'))).toHaveProperty('excerpt')
  })

  it('have no thumbnail, each time', async () => {
    const id = await upload(
      'bomb.docx',
      await zip({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<broken' }),
    )
    for (let turn = 0; turn < 2; turn += 1) expect((await thumbnail(id)).status).toBe(404)
  })
})

describe('lookOf', () => {
  it.each([
    ['a.md', 'MARKDOWN'],
    ['README', 'PLAIN'],
    ['Dockerfile', 'DATA'],
    ['a.TS', 'CODE'],
    ['a.csv', 'COMMAS'],
    ['a.json', 'DATA'],
    ['a.rtf', null],
  ] as const)('%s is %s', (name, look) => {
    expect(lookOf(name)).toBe(look)
  })
})
