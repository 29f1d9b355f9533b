import { describe, expect } from 'vitest'
import { newPerson } from '../e2e/support/browser.ts'
import { startEmulatedServer } from '../e2e/support/emulated.ts'
import { setStage } from '../e2e/support/stage.ts'
import { allow } from '../tools/demo/skypool.ts'
import { line } from './line.ts'

const stage = setStage(startEmulatedServer)

type Answer = { readonly status: number; readonly headers: Headers; readonly body: never; readonly bytes: Buffer }

/** A program that speaks only as the specification does: a cookie, JSON, no state in its bodies. */
function createProgram() {
  let cookie = ''
  async function call(method: string, path: string, body?: object | FormData): Promise<Answer> {
    const isForm = body instanceof FormData
    const response = await fetch(stage.url + path, {
      method,
      headers: { origin: stage.url, cookie, ...(body && !isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    const set = response.headers.getSetCookie().map((text) => text.split(';')[0])
    if (set.length > 0) cookie = set.join('; ')
    const bytes = Buffer.from(await response.arrayBuffer())
    const text = bytes.toString()
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      body: (isJson(text) ? JSON.parse(text) : null) as never,
    }
  }
  return { call, forget: () => (cookie = '') }
}

const isJson = (text: string) => text.startsWith('{') || text.startsWith('[')

type Program = ReturnType<typeof createProgram>
type List = { readonly items: readonly ({ readonly id: string } & Record<string, unknown>)[] }
type Thing = { readonly id: string } & Record<string, unknown>

async function registered(): Promise<Program & { email: string; password: string }> {
  const program = createProgram()
  const person = newPerson()
  expect((await program.call('POST', '/api/v1/auth/register', person)).status).toBe(201)
  return { ...program, ...person }
}

function form(name: string, content: string): FormData {
  const data = new FormData()
  data.append('file', new File([content], name, { type: 'text/plain' }))
  return data
}

async function uploaded(
  { call }: Program,
  name = 'plan.txt',
  content = 'north wall',
): Promise<Thing & { copies: Thing[] }> {
  const { status, body } = await call('POST', '/api/v1/files', form(name, content))
  expect(status).toBe(201)
  return body
}

/** The whole flow of a provider, as the specification's client goes it. */
async function connected({ call }: Program, service: 'google' | 'dropbox', account: string): Promise<Thing> {
  const code = await consented({ call } as Program, service, account)
  const { status, body } = await call('POST', `/api/v1/${service}-accounts/auth`, { code, name: 'Private' })
  expect(status).toBe(201)
  return body
}

async function consented({ call }: Program, service: 'google' | 'dropbox', account: string): Promise<string> {
  const { status, body } = await call('GET', `/api/v1/${service}-accounts/init`)
  expect(status).toBe(200)
  return allow((body as { authorizationUrl: string }).authorizationUrl, account)
}

const GOOGLE = 'maren@post.example'
const DROPBOX = 'box@post.example'

describe('auth', () => {
  line('7.1', async () => {
    const { page } = await stage.person('/file-manager')
    await page.getByRole('heading', { level: 1, name: 'All Files' }).waitFor()
    const sent: string[] = []
    page.on('request', async (request) => {
      if (/\/(graphql|api)/.test(request.url())) sent.push((await request.allHeaders()).cookie ?? '')
    })
    await page.getByRole('link', { name: 'Starred' }).click()
    await expect.poll(() => sent.length).toBeGreaterThan(0)
    expect(sent.filter((cookie) => !cookie.includes('sid='))).toEqual([])
  })

  line('7.2', async () => {
    const program = await registered()
    expect(await program.call('GET', '/api/v1/auth/validate')).toMatchObject({
      status: 200,
      body: { authenticated: true },
    })
    program.forget()
    expect((await program.call('GET', '/api/v1/auth/validate')).status).toBe(401)
  })

  line('7.3', async () => {
    const program = await registered()
    const { body } = await program.call('GET', '/api/v1/auth/me')
    expect(body).toMatchObject({ fullName: 'Maren Holt', email: program.email })
  })

  line('7.4', async () => {
    const { email, password, call, forget } = await registered()
    forget()
    expect((await call('POST', '/api/v1/auth/login', { email, password })).status).toBe(200)
    expect((await call('POST', '/api/v1/auth/login', { email, password: 'something else' })).status).toBe(401)
  })

  line('7.5', async () => {
    const { call } = createProgram()
    const { status, body } = await call('POST', '/api/v1/auth/register', newPerson())
    expect(status).toBe(201)
    expect(body).toMatchObject({ user: { fullName: 'Maren Holt' } })
  })

  line('7.6', async () => {
    const { call } = await registered()
    expect((await call('POST', '/api/v1/auth/logout')).status).toBe(204)
    expect((await call('GET', '/api/v1/auth/validate')).status).toBe(401)
  })
})

describe('group clouds', () => {
  const CLOUDS = '/api/v1/group-clouds'
  const list = async ({ call }: Program) => ((await call('GET', CLOUDS)).body as List).items

  line('7.7', async () => {
    const [only] = await list(await registered())
    expect(only).toMatchObject({ id: expect.any(String), name: expect.any(String), defaultUploadGroup: true })
  })

  line('7.8', async () => {
    const program = await registered()
    const { status, body } = await program.call('POST', CLOUDS, { name: 'Archive' })
    expect(status).toBe(201)
    expect(await list(program)).toContainEqual(expect.objectContaining({ id: (body as Thing).id, name: 'Archive' }))
  })

  line('7.9', async () => {
    const program = await registered()
    const { id } = (await program.call('POST', CLOUDS, { name: 'Archive' })).body as Thing
    expect((await program.call('DELETE', `${CLOUDS}/${id}`)).status).toBe(204)
    expect((await list(program)).map((cloud) => cloud.id)).not.toContain(id)
  })

  line('7.10', async () => {
    const program = await registered()
    const { id } = (await program.call('POST', CLOUDS, { name: 'Archive' })).body as Thing
    expect((await program.call('PATCH', `${CLOUDS}/${id}`, { defaultUploadGroup: true })).status).toBe(200)
    expect((await list(program)).filter((cloud) => cloud.defaultUploadGroup).map((cloud) => cloud.id)).toEqual([id])
  })
})

describe('files', () => {
  line('7.11', async () => {
    const program = await registered()
    const { id } = await uploaded(program)
    expect((await program.call('GET', '/api/v1/files')).body).toMatchObject({ items: [{ id, name: 'plan.txt' }] })
  })

  line('7.12', async () => {
    const program = await registered()
    const { id } = await uploaded(program)
    const { body } = await program.call('GET', `/api/v1/files/${id}`)
    expect(body).toMatchObject({ id, name: 'plan.txt', size: 10, copies: [{ state: 'STORED' }] })
  })

  line('7.13', async () => {
    const program = await registered()
    const [cloud] = ((await program.call('GET', '/api/v1/group-clouds')).body as List).items
    expect(await uploaded(program)).toMatchObject({ name: 'plan.txt', groupCloudId: cloud?.id })
  })

  line('7.14', async () => {
    const program = await registered()
    const { id } = await uploaded(program)
    expect((await program.call('DELETE', `/api/v1/files/${id}`)).status).toBe(204)
    expect((await program.call('GET', '/api/v1/files')).body).toMatchObject({ items: [] })
  })

  line('7.15', async () => {
    const program = await registered()
    const { id } = await uploaded(program, 'Grundriß 1.txt', 'north wall')
    const { headers, bytes } = await program.call('GET', `/api/v1/files/${id}/download`)
    expect(bytes.toString()).toBe('north wall')
    expect(headers.get('content-disposition')).toContain(`filename*=UTF-8''${encodeURIComponent('Grundriß 1.txt')}`)
  })

  line('7.16', async () => {
    const program = await registered()
    const account = await connected(program, 'google', GOOGLE)
    const name = 'At Google'
    await program.call('POST', '/api/v1/group-clouds', { name, accountIds: [account.id], defaultUploadGroup: true })
    const { id } = await uploaded(program)
    const stored = async () => ((await program.call('GET', `/api/v1/files/${id}`)).body as { state: string }).state
    await expect.poll(stored).toBe('STORED')
    const { copies } = (await program.call('GET', `/api/v1/files/${id}`)).body as { copies: Thing[] }
    const { status, body } = await program.call('POST', `/api/v1/files/${id}/share/${copies[0]?.id}`)
    expect(status).toBe(201)
    const share = body as { url: string; providerUrl: string; uploadFileId: string }
    expect(share.uploadFileId).toBe(copies[0]?.id)
    const { origin, pathname, search, host } = new URL(share.providerUrl)
    expect(origin).toMatch(/^https:\/\/(drive|docs)\.google\.com$/)
    expect((await fetch(`${stage.server.emulatorUrl}/@${host}${pathname}${search}`)).status).toBe(200)
  })

  line('7.17', async () => {
    const program = await registered()
    const { id, copies } = await uploaded(program)
    const path = `/api/v1/files/${id}/share/${copies[0]?.id}`
    const share = (await program.call('POST', path)).body as Thing
    expect((await fetch(`${stage.url}/api/v1/shares/${share.id}`)).status).toBe(200)
    expect((await program.call('DELETE', path)).status).toBe(204)
    expect((await fetch(`${stage.url}/api/v1/shares/${share.id}`)).status).toBe(404)
  })
})

describe('keys', () => {
  line('7.18', async () => {
    const program = await registered()
    expect((await program.call('GET', '/api/v1/keys')).body).toMatchObject({ items: [] })
  })

  line('7.19', async () => {
    const program = await registered()
    const { status, body } = await program.call('POST', '/api/v1/keys', { name: 'Backup script' })
    expect(status).toBe(201)
    const { key } = body as { key: string }
    expect((await program.call('GET', '/api/v1/keys')).body).toMatchObject({
      items: [{ name: 'Backup script', status: 'ACTIVE', key }],
    })
    const asked = await fetch(`${stage.url}/api/v1/files`, { headers: { authorization: `Bearer ${key}` } })
    expect(asked.status).toBe(200)
  })
})

describe('accounts', () => {
  line('7.20', async () => {
    const program = await registered()
    const { id } = await connected(program, 'google', GOOGLE)
    const [item] = ((await program.call('GET', '/api/v1/google-accounts')).body as List).items
    expect(item).toMatchObject({
      id,
      name: 'Private',
      email: GOOGLE,
      createdAt: expect.any(String),
      status: 'CONNECTED',
    })
  })

  line('7.21', async () => {
    const { body } = await (await registered()).call('GET', '/api/v1/google-accounts/client-id')
    expect(body).toEqual({ clientId: expect.any(String) })
  })

  line('7.22', async () => {
    const { body } = await (await registered()).call('GET', '/api/v1/google-accounts/init')
    expect(body).toMatchObject({ state: expect.stringMatching(/^[\w-]{43}$/) })
  })

  line('7.23', async () => {
    expect(await connected(await registered(), 'google', GOOGLE)).toMatchObject({ name: 'Private', email: GOOGLE })
  })

  line('7.24', async () => {
    const program = await registered()
    const { id } = await connected(program, 'google', GOOGLE)
    const put = async (account: string) =>
      program.call('PUT', `/api/v1/google-accounts/${id}`, { code: await consented(program, 'google', account) })
    expect((await put('studio@post.example')).status).toBe(409)
    expect(await put(GOOGLE)).toMatchObject({ status: 200, body: { id } })
  })

  line('7.25', async () => {
    const program = await registered()
    const { id } = await connected(program, 'google', GOOGLE)
    expect((await program.call('DELETE', `/api/v1/google-accounts/${id}`)).status).toBe(204)
    expect((await program.call('GET', '/api/v1/google-accounts')).body).toMatchObject({ items: [] })
  })

  line('7.26', async () => {
    const program = await registered()
    const at = '/api/v1/dropbox-accounts'
    expect((await program.call('GET', `${at}/client-id`)).body).toEqual({ clientId: expect.any(String) })
    const { id } = await connected(program, 'dropbox', DROPBOX)
    expect((await program.call('GET', at)).body).toMatchObject({ items: [{ id, email: DROPBOX }] })
    const code = await consented(program, 'dropbox', DROPBOX)
    expect((await program.call('PUT', `${at}/${id}`, { code })).status).toBe(200)
    expect((await program.call('DELETE', `${at}/${id}`)).status).toBe(204)
  })

  line('7.27', async () => {
    const program = await registered()
    const google = await connected(program, 'google', GOOGLE)
    const dropbox = await connected(program, 'dropbox', DROPBOX)
    const asked = [
      { id: google.id, type: 'google' },
      { id: dropbox.id, type: 'dropbox' },
    ]
    const { body } = await program.call('POST', '/api/v1/quotas/by-ids-and-types', asked)
    const quota = { usedBytes: expect.any(Number), totalBytes: expect.any(Number) }
    expect(body).toEqual([
      { id: google.id, quota },
      { id: dropbox.id, quota },
    ])
  })

  line('7.32', async () => {
    const { body } = await (await registered()).call('GET', '/api/v1/google-accounts/init')
    const { searchParams } = new URL((body as { authorizationUrl: string }).authorizationUrl)
    expect(searchParams.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/auth\/drive$/),
        expect.stringMatching(/profile/),
        expect.stringMatching(/email/),
      ]),
    )
    expect(searchParams.get('access_type')).toBe('offline')
    expect(searchParams.get('prompt')).toContain('consent')
  })

  line('7.33', async () => {
    const { body } = await (await registered()).call('GET', '/api/v1/dropbox-accounts/init')
    const { searchParams } = new URL((body as { authorizationUrl: string }).authorizationUrl)
    expect(searchParams.get('token_access_type')).toBe('offline')
  })

  line('7.34', async () => {
    const { call } = await registered()
    for (const service of ['google', 'dropbox']) {
      const { body } = await call('GET', `/api/v1/${service}-accounts/init`)
      const { searchParams } = new URL((body as { authorizationUrl: string }).authorizationUrl)
      expect(searchParams.get('redirect_uri')).toBe(`${stage.url}/oauth/${service}/callback`)
    }
  })
})

describe('telegram accounts', () => {
  const AT = '/api/v1/telegram-accounts'

  async function confirmed(program: Program, user: number): Promise<string> {
    const { status, body } = await program.call('POST', `${AT}/registration-code`)
    expect(status).toBe(200)
    const { code, deepLink } = body as { code: string; deepLink: string }
    expect(deepLink).toContain(code)
    await stage.server.command('telegram', 'addUser', { id: user })
    await stage.server.command('telegram', 'pressStart', { user, link: deepLink })
    return code
  }

  async function added(program: Program, user: number): Promise<Thing> {
    const code = await confirmed(program, user)
    const answers: Answer[] = []
    const connect = async () => {
      const answer = await program.call('POST', AT, { code, name: 'Telegram' })
      answers.push(answer)
      return answer.status
    }
    await expect.poll(connect).toBe(201)
    return (answers.at(-1) as Answer).body
  }

  line('7.29', async () => {
    const program = await registered()
    const { id } = await added(program, 7001)
    expect((await program.call('GET', AT)).body).toMatchObject({ items: [{ id, name: 'Telegram' }] })
  })

  line('7.30', async () => {
    const program = await registered()
    const { id } = await added(program, 7002)
    const code = await confirmed(program, 7002)
    const put = async () => (await program.call('PUT', `${AT}/${id}`, { code })).status
    await expect.poll(put).toBe(200)
  })

  line('7.31', async () => {
    const { body } = await (await registered()).call('POST', `${AT}/registration-code`)
    expect(body).toMatchObject({
      code: expect.any(String),
      botUsername: expect.any(String),
      expiresAt: expect.any(String),
    })
  })
})
