import { parsePublicId, publicId } from '../../../server/lib/ids.ts'
import type { Harbour } from '../../fakes/harbour/harbour.ts'
import type { TelegramCommands } from '../../fakes/telegram/commands.ts'
import { type Answer, type Browser, createBrowser } from '../../setup/browser.ts'
import type { TestServer } from '../../setup/server.ts'

/** What a call of the tables is made with: a server and somebody signed in there. */
export type World = {
  readonly server: TestServer
  readonly browser: Browser
  /** What people do in Telegram, where the server has a bot. */
  readonly telegram?: TelegramCommands
  readonly harbour?: Harbour
}

export type Attempt = (world: World) => Promise<Answer>

export const PASSWORD = 'correct horse battery'
/** A database id behind it never was. */
export const UNKNOWN = '0'.repeat(32)

let count = 0
/** Different at every call. */
export function unique(word: string): string {
  count += 1
  return `${word}-${count}`
}

const emailOf = (name: string) => `${name}@example.org`

/** Signs up over HTTP, from a browser of their own. */
export async function register({ server }: World, email = emailOf(unique('ada'))) {
  const browser = createBrowser(server.url)
  const input = { fullName: 'Ada Lovelace', email, password: PASSWORD }
  return { email, browser, answer: await browser.request('POST', '/api/v1/auth/register', input) }
}

export function uploadForm(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
) {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', new File([content], name))
  return form
}

export function upload({ browser }: World, name = `${unique('note')}.txt`, content = '0123456789', fields = {}) {
  return browser.request('POST', '/api/v1/files', uploadForm(name, content, fields))
}

export async function uploaded(world: World): Promise<string> {
  return (await upload(world)).body.id
}

/** The folder that shows an account. */
export async function folderOfAccount({ server }: World, accountId: string): Promise<string> {
  const { rows } = await server.pool.query<{ id: string }>(
    'select root_file_id as id from account_indexes where account_id = $1',
    [parsePublicId(accountId)?.id],
  )
  return publicId('File', rows[0]?.id ?? '')
}

export function makeFolder({ browser }: World, name = unique('Folder'), more: object = {}, headers = {}) {
  return browser.request('POST', '/api/v1/files/folders', { name, ...more }, headers)
}

export function copy({ browser }: World, ids: readonly string[], parentId: string | null = null, headers = {}) {
  return browser.request('POST', '/api/v1/files/copy', { ids, parentId }, headers)
}

export function makeGroupCloud({ browser }: World, name = unique('Cloud'), headers = {}) {
  return browser.request('POST', '/api/v1/group-clouds', { name }, headers)
}

export const TUS = { 'tus-resumable': '1.0.0' }
export const TUS_BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' }

/** Begins a resumable upload. `metadata` are its words before base64. */
export function begin(
  { browser }: World,
  size = 10,
  metadata: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const pairs = Object.entries({ filename: `${unique('big')}.txt`, ...metadata })
  const text = pairs.map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`).join(',')
  const all = { ...TUS, 'upload-length': String(size), 'upload-metadata': text, ...headers }
  return browser.request('POST', '/api/v1/uploads', undefined, all)
}

/** Address of a resumable upload that waits for its bytes. */
export async function begun(world: World, size = 10): Promise<string> {
  return String((await begin(world, size)).headers.get('location'))
}

/** Address of an upload that was put together from one part. */
export async function putTogether({ browser }: World): Promise<string> {
  const part = { ...TUS_BYTES, 'upload-length': '1', 'upload-concat': 'partial' }
  const made = await browser.request('POST', '/api/v1/uploads', Buffer.from('x'), part)
  const name = Buffer.from(`${unique('whole')}.txt`).toString('base64')
  const whole = {
    ...TUS,
    'upload-metadata': `filename ${name}`,
    'upload-concat': `final;${made.headers.get('location')}`,
  }
  const answer = await browser.request('POST', '/api/v1/uploads', undefined, whole)
  return String(answer.headers.get('location'))
}

export function append({ browser }: World, location: string, text: string, headers: Record<string, string> = {}) {
  return browser.request('PATCH', location, Buffer.from(text), { ...TUS_BYTES, 'upload-offset': '0', ...headers })
}
