import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { sourceOfBytes } from '../../server/storage/byteSource.ts'
import { createThumbnailMaker, type TextFormat } from '../../server/thumbnails/maker.ts'
import { hugeZip, zip } from '../factories/zips.ts'

/** The text of documents, by the separate process that extracts it. */
const maker = createThumbnailMaker({ limit: 1 })
afterAll(() => maker.close())

const extract = (format: TextFormat, bytes: Buffer, limit = 100_000) =>
  maker.extract({ format, source: sourceOfBytes(bytes), limit })

async function textOf(format: TextFormat, bytes: Buffer, limit?: number): Promise<string> {
  const made = await extract(format, bytes, limit)
  if (!('text' in made)) throw new Error(made.reason)
  return made.text
}

const document = (name: string) => readFileSync(`tests/factories/documents/${name}`)
const fixture = (name: string) => readFileSync(`tests/e2e/fixtures/${name}`)

const word = (xml: string) => zip({ 'word/document.xml': xml })

describe('documents that LibreOffice has written', () => {
  const LETTER = [
    'Mooring plan',
    'harbour office confirmed on 12 November that the quay may be closed, Ångström gauge & all.',
    'tidetable',
  ]
  const TABLE = ['Quay', '120.5', 'Ångström gauge', 'North wall', '340', 'checked, twice']

  it.each<[string, TextFormat, Buffer, readonly string[]]>([
    ['docx', 'OFFICE', document('quay.docx'), LETTER],
    ['odt', 'OFFICE', document('quay.odt'), LETTER],
    ['pdf', 'PDF', document('quay.pdf'), LETTER],
    ['xlsx', 'OFFICE', document('quay.xlsx'), TABLE],
    ['ods', 'OFFICE', document('quay.ods'), ['Quay', 'Ångström gauge', 'North wall', 'checked, twice']],
    ['pptx', 'OFFICE', fixture('harbour.pptx'), ['Harbour plan', 'North wall, second slide']],
    ['docx with a table', 'OFFICE', fixture('harbour.docx'), ['Harbour report', 'Part Metres Quay 120']],
  ])('%s', async (_name, format, bytes, expected) => {
    const text = await textOf(format, bytes)
    for (const part of expected) expect(text).toContain(part)
  })
})

describe('text', () => {
  it.each([
    ['UTF-8', Buffer.from('Größe\r\n\tder  Schrift')],
    ['UTF-8 with a mark', Buffer.from('\ufeffGröße der Schrift')],
    ['UTF-16', Buffer.from('\ufeffGröße der Schrift', 'utf16le')],
    ['UTF-16, big-endian', Buffer.from('\ufeffGröße der Schrift', 'utf16le').swap16()],
    ['Windows-1252', Buffer.from('Größe der Schrift', 'latin1')],
    ['with control characters', Buffer.from('Größe\0der\u0007 Schrift')],
    ['with accents of their own', Buffer.from('Gro\u0308ße der Schrift')],
  ])('in %s has its words, with one space between them', async (_encoding, bytes) => {
    expect(await textOf('PLAIN', bytes)).toBe('Größe der Schrift')
  })

  it('ends at the limit, never within a character', async () => {
    expect(await textOf('PLAIN', Buffer.from('ab😀cd'), 3)).toBe('ab\ufffd')
    expect(await textOf('PLAIN', Buffer.from('word '.repeat(100_000)), 50)).toHaveLength(49)
  })

  it('cut within a character of UTF-8 stays UTF-8', async () => {
    expect(await textOf('PLAIN', Buffer.from('Größe ä').subarray(0, -1))).toBe('Größe')
  })
})

describe('parts of an office file', () => {
  it('are read in the order of their numbers, with those of notes', async () => {
    const slide = (text: string) => `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`
    const bytes = await zip({
      'ppt/slides/slide10.xml': slide('ten'),
      'ppt/slides/slide2.xml': slide('two'),
      'ppt/notesSlides/notesSlide1.xml': slide('note'),
      'ppt/media/image1.xml': slide('picture'),
    })
    expect((await textOf('OFFICE', bytes)).split(/\s+/).toSorted()).toEqual(['note', 'ten', 'two'])
    expect(await textOf('OFFICE', bytes)).toMatch(/two.*ten/)
  })

  it('join the runs of one word, and separate paragraphs and cells', async () => {
    const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
    const bytes = await word(
      `<w:document xmlns:w="w"><w:p>${run('har')}${run('bour')}</w:p><w:p>${run('&lt;b&gt; &#233;')}</w:p><w:instrText>PAGE</w:instrText></w:document>`,
    )
    expect(await textOf('OFFICE', bytes)).toBe('harbour <b> é')
  })
})

describe('broken and hostile content', () => {
  it('is BROKEN, and the same process reads the next one', async () => {
    await textOf('PLAIN', Buffer.from('first'))
    const [pid] = maker.pids()
    const damaged = document('quay.docx')
    const start = damaged.indexOf('word/document.xml')
    damaged.fill(7, start + 60, start + 400)
    const cases: [TextFormat, Buffer][] = [
      ['OFFICE', Buffer.from('no archive')],
      ['OFFICE', document('quay.docx').subarray(0, 3_000)],
      ['OFFICE', damaged],
      ['OFFICE', await word('<w:document xmlns:w="w"><w:t>never closed')],
      ['OFFICE', await word(`<w:document xmlns:w="w"><w:t>\ufffd\xff</w:t>`)],
      ['PDF', Buffer.from('%PDF-1.4 nothing')],
      ['PDF', Buffer.from('<html>')],
    ]
    for (const [format, bytes] of cases) expect(await extract(format, bytes)).toMatchObject({ failure: 'BROKEN' })
    expect(maker.pids()).toEqual([pid])
    expect(await textOf('PDF', document('quay.pdf'))).toContain('Mooring')
  })

  it('expands no entity of its own', async () => {
    const lol = Array.from({ length: 20 }, (_, index) => `<!ENTITY e${index + 1} "&e${index};&e${index};">`).join('')
    const xml = `<!DOCTYPE d [<!ENTITY e0 "lol">${lol}<!ENTITY f SYSTEM "file:///etc/passwd">]>`
    for (const name of ['e20', 'f']) {
      const bytes = await word(`${xml}<w:document xmlns:w="w"><w:t>&${name};</w:t></w:document>`)
      expect(await extract('OFFICE', bytes)).toMatchObject({ failure: 'BROKEN' })
    }
  })

  it('that unpacks to much more than it is takes no more than its limit', async () => {
    const open = '<w:document xmlns:w="w"><w:t>'
    // 200 MiB of empty paragraphs: no text, and more than is unpacked of one document.
    const padding = Buffer.concat([Buffer.from(open.replace('<w:t>', '')), Buffer.alloc(200 * 1024 * 1024, '<w:p/>')])
    const bomb = hugeZip('word/document.xml', padding)
    expect(bomb.length).toBeLessThan(4 * 1024 * 1024)
    expect(await extract('OFFICE', bomb)).toMatchObject({ failure: expect.stringMatching('BROKEN|STOPPED') })
    // As much of a text as is wanted is enough, whatever follows.
    const long = Buffer.concat([Buffer.from(open), Buffer.alloc(100 * 1024 * 1024, 'word </w:t><w:t>')])
    expect(await textOf('OFFICE', hugeZip('word/document.xml', long), 1_000)).toMatch(/^(word )+word$/)
    expect(await textOf('PLAIN', Buffer.from('still there'))).toBe('still there')
  })

  it('is ended when it takes too long', async () => {
    const impatient = createThumbnailMaker({ limit: 1, deadlineMs: 1 })
    const made = await impatient.extract({
      format: 'OFFICE',
      source: sourceOfBytes(document('quay.docx')),
      limit: 1_000,
    })
    expect(made).toMatchObject({ failure: 'STOPPED' })
    impatient.close()
  })
})
