import { deflateRawSync } from 'node:zlib'
import yazl from 'yazl'

/** A ZIP with these entries, as office programs write it. */
export async function zip(entries: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const file = new yazl.ZipFile()
  for (const [name, content] of Object.entries(entries)) file.addBuffer(Buffer.from(content), name)
  file.end()
  const chunks: Buffer[] = []
  for await (const chunk of file.outputStream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A ZIP with one entry, of any size. Its checksum is wrong: it is only looked at after the end. */
export function hugeZip(name: string, content: Buffer): Buffer {
  const data = deflateRawSync(content, { level: 9 })
  const label = Buffer.from(name)
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50)
  local.writeUInt16LE(8, 8)
  local.writeUInt32LE(data.length, 18)
  local.writeUInt16LE(label.length, 26)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50)
  entry.writeUInt16LE(8, 10)
  entry.writeUInt32LE(data.length, 20)
  entry.writeUInt16LE(label.length, 28)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(46 + label.length, 12)
  end.writeUInt32LE(30 + label.length + data.length, 16)
  return Buffer.concat([local, label, data, entry, label, end])
}
