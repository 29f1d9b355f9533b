import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

/** A picture whose upper left quarter is red, the rest blue: shows which way up it is. */
export function picture(width: number, height: number) {
  const quarter = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) }
  const red = { create: { ...quarter, channels: 3, background: '#f00' } } as const
  return sharp({ create: { width, height, channels: 3, background: '#00f' } }).composite([
    { input: red, left: 0, top: 0 },
  ])
}

/** A PNG of black pixels, one bit each: a hundred thousandth of the memory it takes when decoded. */
export function blackPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(1, 8)
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** One page of 300 by 400 points with a red square at its lower left. */
export function pdf(): Buffer {
  const square = '1 0 0 rg 0 0 150 150 re f'
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R>>',
    `<</Length ${square.length}>>stream\n${square}\nendstream`,
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj${object}endobj\n`
    return offset
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const end = `xref\n0 5\n0000000000 65535 f \n${rows}trailer<</Size 5/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`
  return Buffer.from(text + end, 'latin1')
}

/** The beginning of a film (MP4) or of an image of a phone (HEIC): enough to be recognised, too little to be decoded. */
export function filmHead(brand: 'isom' | 'heic' = 'isom', rest = ''): Buffer {
  const size = Buffer.from([0, 0, 0, 24])
  return Buffer.concat([size, Buffer.from(`ftyp${brand}\0\0\0\0${brand}mif1${rest}`, 'latin1')])
}
