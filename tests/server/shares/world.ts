import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { publicId } from '../../../server/lib/ids.ts'
import { createUser } from '../../factories/user.ts'
import { type Answer, type Browser, createBrowser, readAnswer } from '../../setup/browser.ts'
import type { TestServer } from '../../setup/server.ts'

export const PASSWORD = 'Käse und Brot'
export const SECRET = 'what nobody sees before proof'

/** An address that no other request of the test comes from, so that no throttle is shared. */
export function newAddress(): string {
  return `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`
}

/** The owner's side of one test. */
export async function createOwner(server: TestServer) {
  const owner = await createUser(server.services.users)
  const browser = createBrowser(server.url, owner.token)
  return { ...owner, browser, ...makersFor(browser) }
}

export type Owner = Awaited<ReturnType<typeof createOwner>>

function makersFor(browser: Browser) {
  const make = async (path: string, body: unknown): Promise<string> => {
    const answer = await browser.request('POST', path, body)
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.id
  }
  return {
    upload(name: string, content: string | Uint8Array<ArrayBuffer>, parentId?: string, type = 'text/plain') {
      const form = new FormData()
      if (parentId) form.set('parentId', parentId)
      form.set('file', new File([content], name, { type }))
      return make('/api/v1/files', form)
    },
    folder: (name: string, parentId: string | null = null) => make('/api/v1/files/folders', { name, parentId }),
    share: (fileId: string, settings: object = {}) => make('/api/v1/shares', { fileId, ...settings }),
    look: async (fileId: string) => (await browser.request('GET', `/api/v1/files/${fileId}`)).body,
  }
}

/** A visitor from an address of their own; `cookie` is what they have proved. */
export function createVisitor(server: TestServer, address = newAddress()) {
  let cookie = ''
  const headersOf = (more: Record<string, string>) => ({
    'x-forwarded-for': address,
    ...(cookie && { cookie }),
    ...more,
  })
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
    fetch(server.url + path, { method, headers: headersOf(headers), ...(body !== undefined && { body }) })
  return {
    address,
    get cookie() {
      return cookie
    },
    send,
    async ask(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Answer> {
      const json = body === undefined ? undefined : JSON.stringify(body)
      return readAnswer(
        await send(method, path, { ...(json && { 'content-type': 'application/json' }), ...headers }, json),
      )
    },
    async unlock(shareId: string, password = PASSWORD): Promise<Answer> {
      const answer = await this.ask('POST', `/api/v1/shares/${shareId}/unlock`, {}, { password })
      const set = answer.headers.get('set-cookie')
      if (set) cookie = [cookie, set.split(';')[0]].filter(Boolean).join('; ')
      return answer
    },
  }
}

/** Looks again until it is so; what a server does after its answer takes a moment. */
export async function eventually<Value>(look: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  for (let turn = 0; ; turn += 1) {
    const value = await look()
    if (isSo(value) || turn === 200) return value
    await sleep(50)
  }
}

/** An id like a share's, of none. */
export function unknownShare(): string {
  return publicId('Share', randomBytes(16).toString('hex'))
}
