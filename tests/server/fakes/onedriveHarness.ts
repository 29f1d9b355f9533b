import { startEmulators } from '../../fakes/core/server.ts'
import { createOneDrive } from '../../fakes/onedrive/onedrive.ts'

export const EMAIL = 'ada@example.com'

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: never }

export type Harness = Awaited<ReturnType<typeof startOneDrive>>

const GRAPH = 'graph.microsoft.com/v1.0'

/** An emulated OneDrive with one personal account of 1 GB, and ways to talk to it as an app does. */
export async function startOneDrive(driveType: 'personal' | 'business' = 'personal') {
  let now = Date.parse('2026-11-21T10:00:00.500Z')
  const service = createOneDrive({ clock: () => now })
  const emulators = await startEmulators({ services: [service] })
  const user = service.commands.addUser({ email: EMAIL, name: 'Ada Lovelace', quotaBytes: 1e9, driveType })
  const { access_token } = service.commands.mintToken({ user: EMAIL })
  /** `path`: below https://graph.microsoft.com/v1.0, or a whole address. `bare`: without the token. */
  async function ask(method: string, path: string, { body, headers = {}, bare = false }: Asked = {}): Promise<Answer> {
    const address = path.startsWith('https://') ? path.slice('https://'.length) : `${GRAPH}${path}`
    const isJson = body !== undefined && !(body instanceof Uint8Array)
    const response = await fetch(`${emulators.url}/@${address}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(!bare && { authorization: `Bearer ${access_token}` }),
        ...(isJson && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    const text = await response.text()
    const hasJson = response.headers.get('content-type')?.includes('json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: (hasJson ? JSON.parse(text) : null) as never,
    }
  }
  return {
    ...emulators,
    user,
    ask,
    commands: service.commands,
    hosts: service.hosts,
    pass(milliseconds: number) {
      now += milliseconds
    },
  }
}

type Asked = { readonly body?: object; readonly headers?: Record<string, string>; readonly bare?: boolean }

/** The status of an answer with its codes, the outermost first. */
export function codesOf({ status, text }: Answer): readonly unknown[] {
  const { error } = JSON.parse(text) as { error: { code: string; innerError?: { code?: string } } }
  return [status, error.code, ...(error.innerError?.code ? [error.innerError.code] : [])]
}
