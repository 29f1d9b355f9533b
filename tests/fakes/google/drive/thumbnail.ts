import type { Exchange } from '../../core/service.ts'
import { isPictured, thumbnailOf } from '../../core/thumbnail.ts'
import type { Google } from '../google.ts'
import type { DriveFile } from '../model.ts'

/** Where pictures of files are, below lh3.googleusercontent.com: other paths there are of Photos. */
export const THUMBNAILS = '/drive-storage/'
const USUAL_SIDE = 220

/** The fields of a file that tell of its picture. */
export function thumbnailFields({ id, mimeType, content, headRevisionId }: DriveFile): object {
  if (!content || !isPictured(mimeType)) return { hasThumbnail: false, thumbnailVersion: '0' }
  const key = Buffer.from(JSON.stringify([id, headRevisionId])).toString('base64url')
  const thumbnailLink = `https://lh3.googleusercontent.com${THUMBNAILS}${key}=s${USUAL_SIDE}`
  return { hasThumbnail: true, thumbnailLink, thumbnailVersion: '1' }
}

/** The picture of a file, for those who may see the file, while it has this revision. */
export async function sendThumbnail(exchange: Exchange, { store, grants }: Google): Promise<void> {
  const [, key = '', side = ''] = /^\/drive-storage\/([\w-]+)=s(\d+)$/.exec(exchange.url.pathname) ?? []
  const [, token = ''] = /^Bearer (.+)$/i.exec(exchange.request.headers.authorization ?? '') ?? []
  await exchange.begin('drive.thumbnail', grants.holderOfAccess(token))
  const failed = exchange.take('serverError')
  if (failed) return exchange.send(failed.status ?? 503, {}, '')
  const [id, revision] = partsOf(key)
  const file = store.file(id)
  const user = grants.access(token)?.grant.user
  if (!user || !file?.content || store.roleOf(user, file) === null) return exchange.send(403, {}, '')
  if (file.headRevisionId !== revision) return exchange.send(404, {}, '')
  const picture = await thumbnailOf(file.mimeType, file.content.read(), Number(side))
  if (!picture) return exchange.send(404, {}, '')
  await exchange.send(200, { 'Content-Type': 'image/jpeg', 'Cache-Control': 'private, max-age=86400' }, picture)
}

function partsOf(key: string): readonly [string, string] {
  try {
    const [id, revision] = JSON.parse(Buffer.from(key, 'base64url').toString()) as readonly unknown[]
    return [String(id), String(revision)]
  } catch {
    return ['', '']
  }
}
