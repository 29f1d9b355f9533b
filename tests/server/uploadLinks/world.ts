import type { TestServer } from '../../setup/server.ts'
import { createVisitor, type Owner, PASSWORD } from '../shares/world.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

export async function createLink(owner: Owner, folderId: string, settings: object = {}): Promise<string> {
  const body = { folderId, title: 'Survey photos', ...settings }
  const answer = await owner.browser.request('POST', '/api/v1/upload-links', body)
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

/** A visitor of upload links from an address of their own. */
export function createSender(server: TestServer, address?: string) {
  const visitor = createVisitor(server, address)
  const at = (link: string, rest = '') => `/api/v1/upload-links/${link}${rest}`
  let proof = ''
  const headersOf = (more: Record<string, string> = {}) => ({
    'x-forwarded-for': visitor.address,
    ...(proof && { cookie: proof }),
    ...more,
  })
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: BodyInit) =>
    fetch(server.url + path, { method, headers: headersOf(headers), ...(body !== undefined && { body }) })
  return {
    address: visitor.address,
    send,
    at,
    look: (link: string) => send('GET', at(link)),
    async unlock(link: string, password = PASSWORD) {
      const body = JSON.stringify({ password })
      const answer = await send('POST', at(link, '/unlock'), { 'content-type': 'application/json' }, body)
      proof = answer.headers.get('set-cookie')?.split(';')[0] ?? proof
      return answer
    },
    /** As `curl -F file=@name`. */
    post(link: string, name: string, content: string | Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}) {
      const form = new FormData()
      for (const [key, value] of Object.entries(fields)) form.set(key, value)
      form.set('file', new File([content], name, { type: 'text/plain' }))
      return send('POST', at(link, '/files'), {}, form)
    },
    /** A tus creation, with the first bytes if there are any. */
    begin(link: string, name: string, size: number, first = '', metadata: Record<string, string> = {}) {
      const pairs = Object.entries({ filename: name, ...metadata }).map(([key, value]) => `${key} ${base64(value)}`)
      const headers = {
        'tus-resumable': '1.0.0',
        'upload-length': String(size),
        'upload-metadata': pairs.join(','),
        ...(first !== '' && { 'content-type': 'application/offset+octet-stream' }),
      }
      return send('POST', at(link, '/uploads'), headers, first === '' ? undefined : first)
    },
    head: (address: string) => send('HEAD', address, { 'tus-resumable': '1.0.0' }),
    patch: (address: string, offset: number, bytes: string) =>
      send(
        'PATCH',
        address,
        {
          'tus-resumable': '1.0.0',
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        },
        bytes,
      ),
    cancel: (address: string) => send('DELETE', address, { 'tus-resumable': '1.0.0' }),
  }
}

export const locationOf = (response: Response) => response.headers.get('location') ?? ''
