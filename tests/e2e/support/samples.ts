import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export type Sample = { readonly name: string; readonly type: string; readonly bytes: Buffer }

/** Ten small files of ten types, valid as what they say they are. */
export function tenSamples(): Sample[] {
  return [
    { name: 'Harbour view.png', type: 'image/png', bytes: png(64, 48) },
    { name: 'IMG_2.gif', type: 'image/gif', bytes: GIF },
    { name: 'IMG_10.svg', type: 'image/svg+xml', bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
    { name: 'Site plan 1-200.pdf', type: 'application/pdf', bytes: pdf() },
    { name: 'Interview.wav', type: 'audio/wav', bytes: wav() },
    { name: 'Structural notes.txt', type: 'text/plain', bytes: Buffer.from('North wall\nSouth wall\n'.repeat(20)) },
    { name: 'README.md', type: 'text/markdown', bytes: Buffer.from('# Harbour House\n\nA *quiet* place.\n') },
    { name: 'areas.csv', type: 'text/csv', bytes: Buffer.from('room,m2\nhall,42\n') },
    { name: 'model.ts', type: 'text/plain', bytes: Buffer.from('export const answer = 42\n') },
    { name: 'página.html', type: 'text/html', bytes: Buffer.from('<p>Olá</p><script>document.title="run"</script>') },
  ]
}

/** The box that every MP4 begins with (ISO/IEC 14496-12). */
const FTYP = Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex')

/** As a film to whoever looks at its first bytes; no two have the same contents. */
export function mp4(name: string, size: number): Sample {
  return { name, type: 'video/mp4', bytes: Buffer.concat([FTYP, randomBytes(size - FTYP.length)]) }
}

const GIF = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** A PNG (RFC 2083) with a colour gradient. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => [(x * 4) & 255, (y * 5) & 255, 150]).flat()]),
  )
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([signature, ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([size, body, check])
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

function pdf(): Buffer {
  const objects = [
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj',
  ]
  return Buffer.from(`%PDF-1.4\n${objects.join('\n')}\ntrailer<</Root 1 0 R>>\n%%EOF\n`)
}

/** A second of silence, PCM 8 kHz mono. */
function wav(): Buffer {
  const data = Buffer.alloc(8000, 128)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}
