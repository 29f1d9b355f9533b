import type { Content } from '../content.ts'
import { DriveError, forbidden, refusedByPolicy } from '../errors.ts'
import type { DriveFile } from '../model.ts'
import { type Call, fileOf } from './call.ts'

/** `alt=media`: the bytes, or one range of them. */
export async function download(call: Call, id: string): Promise<void> {
  const asked = fileOf(call, id)
  if (!asked.content) {
    throw forbidden(
      'fileNotDownloadable',
      'Only files with binary content can be downloaded. Use Export with Docs Editors files.',
    )
  }
  refuseRestricted(call, asked)
  // Only its owner may say so.
  const isAcknowledged = call.query.get('acknowledgeAbuse') === 'true' && asked.owner === call.user
  if (asked.abusive && !isAcknowledged) {
    const message = 'This file has been identified as malware or spam and cannot be downloaded.'
    throw forbidden('cannotDownloadAbusiveFile', message)
  }
  const policy = call.exchange.take('policy')
  if (policy) throw refusedByPolicy(policy, 'downloadQuotaExceeded')
  const file = call.exchange.take('wrongObject') ? another(call, asked) : asked
  await sendContent(call, file, file.content ?? asked.content)
}

/** Throws for what only writers may download. */
export function refuseRestricted({ google, user }: Call, file: DriveFile): void {
  const role = google.store.roleOf(user, file)
  if (!file.copyRequiresWriterPermission || role === 'owner' || role === 'writer') return
  throw forbidden('cannotDownloadFile', 'This file cannot be downloaded by the user.')
}

/** The newest other file of the user, of the same size when there is one; itself when it is the only one. */
function another({ google, user }: Call, file: DriveFile): DriveFile {
  const others = google.store.filesOf(user).filter((other) => other.content && other !== file)
  return others.findLast((other) => other.content?.size === file.content?.size) ?? others.at(-1) ?? file
}

async function sendContent(call: Call, file: DriveFile, content: Content): Promise<void> {
  const header = call.exchange.take('ignoreRange') ? undefined : call.exchange.request.headers.range
  const range = header === undefined ? null : rangeOf(header, content.size)
  const headers = {
    'Content-Type': file.mimeType,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=0, must-revalidate',
    'X-Content-Type-Options': 'nosniff',
  }
  if (range === 'unsatisfiable') {
    throw new DriveError(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable', {
      location: 'Range',
      locationType: 'header',
      headers: { 'Content-Range': `bytes */${content.size}` },
    })
  }
  if (!range) return call.exchange.sendObject(200, headers, content.size, content.read())
  const { start, end } = range
  const partial = { ...headers, 'Content-Range': `bytes ${start}-${end - 1}/${content.size}` }
  await call.exchange.sendObject(206, partial, end - start, content.read(start, end))
}

/** null = not a single range of bytes, which is as if none were asked. */
function rangeOf(header: string, size: number): { start: number; end: number } | 'unsatisfiable' | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? []
  if (from === '' && to === '') return null
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1)
  if (from !== '' && to !== '' && Number(to) < start) return null
  return start < end ? { start, end } : 'unsatisfiable'
}
