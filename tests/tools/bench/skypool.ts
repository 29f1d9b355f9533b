import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { NODE_FLAGS, START_SETTINGS } from '../../setup/nodeFlags.ts'
import { freePort, reachable } from './references.ts'

const SERVER = fileURLToPath(new URL('../../../dist/server/main.cjs', import.meta.url))

/** The built server as a user would run it, in a separate process. */
export type Skypool = {
  readonly url: string
  readonly pid: number
  /** From spawn to the first success of /ready (s). */
  readonly startSeconds: number
  stop(): Promise<void>
}

/** @throws when the server is not built (`npm start` builds it) or does not get ready */
export async function startSkypool(env: Record<string, string>): Promise<Skypool> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...NODE_FLAGS, SERVER], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...START_SETTINGS,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      ...env,
    },
  })
  await reachable(`${url}/ready`, child)
  return {
    url,
    pid: child.pid ?? 0,
    startSeconds: (performance.now() - startedAt) / 1000,
    stop: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** A signed-in client: plain fetch with the cookie and the server's own origin. */
export class Client {
  constructor(
    readonly url: string,
    readonly cookie: string,
  ) {}

  /** Registers a new user and stays signed in. */
  static async signUp(url: string): Promise<Client> {
    const response = await fetch(`${url}/api/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({
        fullName: 'Bench Mark',
        email: `bench-${crypto.randomUUID()}@example.org`,
        password: crypto.randomUUID(),
      }),
    })
    if (response.status !== 201) throw new Error(`register answered ${response.status}: ${await response.text()}`)
    return new Client(
      url,
      response.headers
        .getSetCookie()
        .map((each) => each.split(';')[0])
        .join('; '),
    )
  }

  get headers(): Record<string, string> {
    return { cookie: this.cookie, origin: this.url }
  }

  /** JSON of a 2xx answer. @throws with status and body otherwise */
  async json<Body>(path: string, init: RequestInit = {}): Promise<Body> {
    const response = await fetch(this.url + path, { ...init, headers: { ...this.headers, ...init.headers } })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text) as Body
  }

  /** One multipart upload of `bytes` under `name`; the file's id. */
  async upload(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const form = new FormData()
    form.set('file', new Blob([bytes], { type: 'text/plain' }), name)
    const file = await this.json<{ id: string; size: number }>('/api/v1/files', { method: 'POST', body: form })
    if (file.size !== bytes.length) throw new Error(`stored ${file.size} of ${bytes.length} bytes`)
    return file.id
  }

  /** Opens a tus upload, into the default group cloud unless given. @returns its absolute URL */
  async openUpload(name: string, size: number, groupCloudId?: string): Promise<string> {
    const metadata = Object.entries({ filename: name, ...(groupCloudId && { groupCloudId }) })
    const response = await fetch(`${this.url}/api/v1/uploads`, {
      method: 'POST',
      headers: {
        ...this.headers,
        'tus-resumable': '1.0.0',
        'upload-length': String(size),
        'upload-metadata': metadata.map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`).join(','),
      },
    })
    const location = response.headers.get('location')
    if (response.status !== 201 || !location) throw new Error(`tus POST answered ${response.status}`)
    return new URL(location, this.url).href
  }
}

/** Runs a program in a separate process, so that our own idle connections are still served. @returns what it printed */
export async function run(program: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, [...args], { maxBuffer: 16 * 1024 * 1024 })).stdout
}

/** Runs curl and resolves with the seconds that the transfer took. @throws when it answers anything but `status` or other than `bytes` */
export async function curl(args: readonly string[], expected: { status: number; bytes?: number }): Promise<number> {
  const format = '%{http_code} %{size_download} %{time_total}'
  const line = await run('curl', ['-sS', '-o', '/dev/null', '-w', format, ...args])
  const [status, bytes, seconds] = line.split(' ').map(Number)
  if (status !== expected.status) throw new Error(`curl: answered ${status} instead of ${expected.status}`)
  if (expected.bytes !== undefined && bytes !== expected.bytes)
    throw new Error(`curl: ${bytes} of ${expected.bytes} bytes`)
  return seconds ?? Number.NaN
}
