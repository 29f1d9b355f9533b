import { Readable } from 'node:stream'
import type { z } from 'zod'
import type { Exchange } from '../../core/service.ts'
import { thumbnailOf } from '../../core/thumbnail.ts'
import { pdfOf } from '../../google/drive/export.ts'
import { ARGS } from '../args.ts'
import type { Bytes } from '../bytes.ts'
import { type Call, type Route, route } from '../call.ts'
import { badInput, refused } from '../errors.ts'
import { lookUpDownloadable, lookUpFile } from '../lookup.ts'
import { fileMetadata } from '../metadata.ts'
import type { FileEntry, User } from '../model.ts'
import { nameOf } from '../paths.ts'
import { tag } from '../tags.ts'

export const DOWNLOAD_ROUTES: Readonly<Record<string, Route>> = {
  'files/download': route('download', 'files.content.read', ARGS.download, download),
  'files/get_thumbnail_v2': route('download', 'files.content.read', ARGS.thumbnail, sendThumbnail),
  'files/export': route('download', 'files.content.read', ARGS.export, exportFile),
}

const TYPES = ['', 'text/plain', 'text/plain; charset=utf-8', 'application/octet-stream']

async function download(call: Call, args: z.output<typeof ARGS.download>): Promise<void> {
  const { exchange, user, operation } = call
  const type = (exchange.request.headers['content-type'] ?? '').toLowerCase()
  if (!TYPES.includes(type)) throw badInput(operation, `Bad HTTP "Content-Type" header: "${type}".`)
  const file = lookUpDownloadable(user, args.rev ? `rev:${args.rev}` : args.path)
  await sendFile(exchange, user, file, { 'dropbox-api-result': asciiJson(fileMetadata(file)) })
}

/** The document in another format: a text that names both, as nothing else is known of its content. */
async function exportFile({ exchange, user }: Call, args: z.output<typeof ARGS.export>): Promise<void> {
  const file = lookUpFile(user, args.path)
  if (!file.exportOptions) throw refused(tag('non_exportable'))
  const format = args.export_format ?? file.exportOptions[0] ?? ''
  if (!file.exportOptions.includes(format)) throw refused(tag('invalid_export_format'))
  const text = `${file.path} as ${format}`
  const body = format === 'pdf' ? pdfOf(text) : Buffer.from(text)
  const exported = { name: `${nameOf(file.path)}.${EXTENSIONS[format] ?? format}`, size: body.length }
  const result = asciiJson({ export_metadata: exported, file_metadata: fileMetadata(file) })
  const headers = { 'content-type': 'application/octet-stream', 'dropbox-api-result': result }
  await exchange.sendObject(200, headers, body.length, Readable.from([body], { objectMode: false }))
}

/** Dropbox goes by the extension, and takes pictures of up to 20 MB. */
async function sendThumbnail({ exchange, user }: Call, args: z.output<typeof ARGS.thumbnail>): Promise<void> {
  const file = lookUpFile(user, args.resource.path)
  const { bytes } = file.content
  if (!/\.(?:jpe?g|png|tiff?|gif|webp|ppm|bmp)$/i.test(file.path)) throw refused(tag('unsupported_extension'))
  if (bytes.size > 20_000_000) throw refused(tag('unsupported_image'))
  const [, height = ''] = /h(\d+)$/.exec(args.size) ?? []
  const picture = await thumbnailOf('image/*', bytes.read(0, bytes.size), Number(height))
  if (!picture) throw refused(tag('conversion_error'))
  const result = asciiJson({ file_metadata: fileMetadata(file) })
  await exchange.send(200, { 'content-type': 'image/jpeg', 'dropbox-api-result': result }, picture)
}

const EXTENSIONS: Readonly<Record<string, string>> = { markdown: 'md', plain_text: 'txt' }

/** A header carries no more than ASCII. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The content of a file, or the part that the request asks for, with what is planned to go wrong. */
export async function sendFile(
  exchange: Exchange,
  user: User,
  file: FileEntry,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  const size = file.content.bytes.size
  const etag = etagOf(file)
  const headers = { ...more, 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', etag }
  if (exchange.request.headers['if-none-match'] === etag) return exchange.send(304, headers)
  const asked = rangeOf(exchange, size)
  const range = asked && exchange.take('ignoreRange') ? null : asked
  if (range === 'unsatisfiable') return exchange.send(416, { ...headers, 'content-range': `bytes */${size}` })
  const [start, end] = range ?? [0, size]
  const all = { ...headers, ...(range && { 'content-range': `bytes ${start}-${end - 1}/${size}` }) }
  // Kept, so that a file deleted meanwhile is still read to its end.
  const bytes = (exchange.take('wrongObject') ? otherThan(user, file) : file.content.bytes).keep()
  const source = Readable.from(bytes.read(start, end), { objectMode: false })
  await exchange.sendObject(range ? 206 : 200, all, end - start, source).finally(() => bytes.letGo())
}

function etagOf(file: FileEntry): string {
  return `W/"${file.rev}"`
}

/** From the first byte up to but not including the second; null = all of it. */
function rangeOf({ request }: Exchange, size: number): readonly [number, number] | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)
  return start < end ? [start, end] : 'unsatisfiable'
}

/** As many bytes as the file has, of another file where there is one, and zeros for what that lacks. */
function otherThan(user: User, file: FileEntry): Bytes {
  const size = file.content.bytes.size
  const others = [...user.entries.values()].filter((entry) => entry.kind === 'file' && entry.id !== file.id)
  const other = others.find((entry) => entry.kind === 'file' && entry.content.bytes.size === size) ?? others[0]
  const bytes: Bytes = {
    size,
    async *read(start, end) {
      const content = other?.kind === 'file' ? other.content.bytes : null
      const available = Math.max(start, Math.min(end, content?.size ?? 0))
      if (content) yield* content.read(start, available)
      yield Buffer.alloc(end - available)
    },
    keep: () => bytes,
    letGo: async () => {},
  }
  return bytes
}
