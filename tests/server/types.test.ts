import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, it } from 'vitest'
import yazl from 'yazl'
import { TypeRefusedError } from '../../server/domain/errors.ts'
import { HEAD_BYTES, judgeType, TAIL_BYTES } from '../../server/domain/files/content/types.ts'

const judge = (name: string, bytes: Buffer, anyType = false) =>
  judgeType(name, { head: bytes.subarray(0, HEAD_BYTES), tail: async () => bytes.subarray(-TAIL_BYTES) }, anyType)

async function zip(names: readonly string[]): Promise<Buffer> {
  const file = new yazl.ZipFile()
  for (const name of names) file.addBuffer(randomBytes(300_000), name, { compress: false })
  file.end()
  const parts: Buffer[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      parts.push(chunk)
      done()
    },
  })
  await pipeline(file.outputStream, sink)
  return Buffer.concat(parts)
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const GIF = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')
const PDF = Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n')
const MP3 = Buffer.concat([
  Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1'),
  Buffer.from([0xff, 0xfb, 0x90, 0x64]),
  Buffer.alloc(500),
])
const MP4 = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom\0\0\0\0isommp42', 'latin1')])
/** With its directory beyond the head, as most programs write it. */
/** Of no known type; random bytes would begin like a sound or a picture now and then. */
const NOISE = Buffer.alloc(1000, 1)
const TIFF = Buffer.concat([Buffer.from([0x49, 0x49, 42, 0, 0, 0, 1, 0]), randomBytes(0x20000)])
const ELF = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(100)])

describe('accepted', () => {
  it.each([
    ['a.png', PNG, 'image/png', 'IMAGE'],
    ['misnamed.jpg', GIF, 'image/gif', 'IMAGE'],
    ['a.pdf', PDF, 'application/pdf', 'PDF'],
    ['a.tif', TIFF, 'image/tiff', 'IMAGE'],
    ['a.mp3', MP3, 'audio/mpeg', 'AUDIO'],
    ['a.mp4', MP4, 'video/mp4', 'VIDEO'],
    ['a.txt', Buffer.from('héllo\n'), 'text/plain', 'TEXT'],
    ['a.md', Buffer.from('# hi'), 'text/markdown', 'TEXT'],
    ['a.html', Buffer.from('<!doctype html><p>hi'), 'text/html', 'TEXT'],
    ['a.json', Buffer.from('{"a":1}'), 'application/json', 'TEXT'],
    ['a.ts', Buffer.from('export const a = 1\n'), 'text/plain', 'TEXT'],
    ['a.xml', Buffer.from('<?xml version="1.0"?><a/>'), 'text/xml', 'TEXT'],
    ['a.sh', Buffer.from('#!/bin/sh\necho hi\n'), 'text/plain', 'TEXT'],
    ['a.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml', 'IMAGE'],
    ['a.rtf', Buffer.from('{\\rtf1\\ansi hello}'), 'text/rtf', 'TEXT'],
    ['utf16.txt', Buffer.from('\ufeffhéllo', 'utf16le'), 'text/plain', 'TEXT'],
    ['latin1.csv', Buffer.from('gr\xfc\xdfe;1\r\n', 'latin1'), 'text/csv', 'TEXT'],
    ['cut in a letter.txt', Buffer.from('ж'.repeat(HEAD_BYTES)), 'text/plain', 'TEXT'],
    ['README', Buffer.from('read me'), 'text/plain', 'TEXT'],
    ['Makefile', Buffer.from('all:\n\techo\n'), 'text/plain', 'TEXT'],
    ['empty.txt', Buffer.alloc(0), 'text/plain', 'TEXT'],
    [
      'empty.docx',
      Buffer.alloc(0),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'DOCUMENT',
    ],
  ])('%s', async (name, bytes, mimeType, category) => {
    expect(await judge(name, bytes)).toEqual({ mimeType, category })
  })

  it.each([
    ['docx', 'word/document.xml', 'DOCUMENT'],
    ['xlsx', 'xl/workbook.xml', 'SPREADSHEET'],
    ['pptx', 'ppt/presentation.xml', 'PRESENTATION'],
  ])('%s, wherever its parts stand', async (extension, main, category) => {
    for (const names of [
      ['[Content_Types].xml', '_rels/.rels', main],
      ['_rels/.rels', main, '[Content_Types].xml'],
    ]) {
      expect(await judge(`a.${extension}`, await zip(names))).toMatchObject({ category })
    }
  })
})

describe('refused', () => {
  it.each([
    ['a.exe', Buffer.from('MZ')],
    ['a.zip', Buffer.from('text')],
    ['program.png', ELF],
    ['program.txt', ELF],
    ['noise.jpg', NOISE],
    ['nul.txt', Buffer.from('a\0b')],
    ['README', NOISE],
    ['empty.exe', Buffer.alloc(0)],
  ])('%s', async (name, bytes) => {
    await expect(judge(name, bytes)).rejects.toThrow(TypeRefusedError)
  })

  it('a plain ZIP, an Android app and an incomplete document, under whatever name', async () => {
    for (const names of [['a.txt'], ['classes.dex'], ['word/document.xml']]) {
      await expect(judge('a.docx', await zip(names))).rejects.toThrow(TypeRefusedError)
    }
  })
})

it('takes everything when told so', async () => {
  expect(await judge('a.exe', ELF, true)).toEqual({ mimeType: 'application/x-elf', category: 'OTHER' })
  expect(await judge('noise', NOISE, true)).toEqual({
    mimeType: 'application/octet-stream',
    category: 'OTHER',
  })
})
