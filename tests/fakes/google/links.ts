import type { Exchange } from '../core/service.ts'
import type { Google } from './google.ts'
import type { DriveFile } from './model.ts'
import { escapeHtml, page } from './oauth/page.ts'

const HTML = { 'Content-Type': 'text/html; charset=utf-8' }

/** drive.google.com: what somebody who has only the link sees. */
export async function links(exchange: Exchange, google: Google): Promise<void> {
  const { pathname, searchParams } = exchange.url
  const id = searchParams.get('id') ?? /^\/(?:file\/d|drive\/folders)\/([^/]+)/.exec(pathname)?.[1] ?? ''
  const isDownload = pathname === '/uc'
  await exchange.begin(isDownload ? 'links.download' : 'links.view')
  const file = google.store.file(id)
  if (!file)
    return exchange.send(404, HTML, page('Not found', '<p>Sorry, the file you have requested does not exist.</p>'))
  if (!isShared(file))
    return exchange.send(
      403,
      HTML,
      page('You need access', '<p>Ask for access, or sign in with an account that has it.</p>'),
    )
  if (!isDownload) return exchange.send(200, HTML, viewPage(file))
  if (!file.content) return exchange.send(403, HTML, page('Not a file', '<p>Folders cannot be downloaded.</p>'))
  const name = `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`
  const headers = { 'Content-Type': file.mimeType, 'Content-Disposition': name }
  await exchange.sendObject(200, headers, file.content.size, file.content.read())
}

const isShared = ({ permissions }: DriveFile): boolean => permissions.some(({ type }) => type === 'anyone')

function viewPage(file: DriveFile): string {
  const link = file.content
    ? `<p><a href="/@drive.google.com/uc?id=${file.id}&amp;export=download" data-testid="download">Download</a></p>`
    : ''
  return page(file.name, `<p>${escapeHtml(file.mimeType)}</p>${link}`)
}
