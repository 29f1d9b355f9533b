import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readMigrations } from '../../server/db/migrate.ts'
import type { Config } from '../../server/env.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createTestDatabase } from '../setup/database.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

const REGISTER = '/api/v1/auth/register'
const INVITATIONS = '/api/v1/invitations'
const PASSWORD = 'correct horse battery'
let count = 0
const person = (more: object = {}) => ({
  fullName: 'Grace Hopper',
  email: `person-${++count}@example.org`,
  password: PASSWORD,
  ...more,
})

/** A server whose first user has signed up over HTTP, and is its administrator. */
async function startWith(config: Partial<Config>) {
  const server = await startTestServer(config)
  const first = createBrowser(server.url)
  const answer = await first.request('POST', REGISTER, person())
  expect([answer.status, answer.body.user.role]).toEqual([201, 'ADMINISTRATOR'])
  const register = (more: object = {}) => createBrowser(server.url).request('POST', REGISTER, person(more))
  return { server, first, register }
}

const tokenOf = (url: string) => new URL(url).searchParams.get('invite') ?? ''
const ask = async (browser: Browser, query: string) => (await browser.request('POST', '/graphql', { query })).body

describe('open registration', () => {
  it('makes one administrator of many first users at once', async () => {
    const server = await startTestServer()
    try {
      const users = await Promise.all(Array.from({ length: 12 }, () => createUser(server.services.users)))
      expect(users.filter(({ user }) => user.role === 'ADMINISTRATOR')).toHaveLength(1)
    } finally {
      await server.close()
    }
  })

  it('gives the role to the oldest user of a server that is older than roles, and on when the administrator leaves', async () => {
    const { pool, close } = await createTestDatabase()
    try {
      const [migration] = readMigrations('prisma/migrations').filter(({ name }) => name.endsWith('_administration'))
      const [statement = ''] = /UPDATE "users" SET "role"[^;]*;/.exec(migration?.sql ?? '') ?? []
      const add = `insert into users (id, full_name, email, email_key, password_hash, created_at, deleted_at)
        values (gen_random_uuid(), $1, $1, $1, 'x', now() - $2 * interval '1 day', case when $3 then now() end)`
      for (const row of [
        ['gone', 9, true],
        ['old', 5, false],
        ['new', 1, false],
      ])
        await pool.query(add, row)
      await pool.query(statement)
      const { rows } = await pool.query(`select full_name from users where role = 'ADMINISTRATOR'`)
      expect(rows).toEqual([{ full_name: 'old' }])
    } finally {
      await close()
    }
  })

  it('is never left without an administrator', async () => {
    const { server, first, register } = await startWith({})
    try {
      const heir = (await register()).body.user
      await register()
      expect(await first.request('DELETE', '/api/v1/auth/me', { password: PASSWORD })).toMatchObject({ status: 204 })
      const { rows } = await server.pool.query(
        `select 'user_' || replace(id::text, '-', '') as id from users where role = 'ADMINISTRATOR'`,
      )
      expect(rows).toEqual([{ id: heir.id }])
    } finally {
      await server.close()
    }
  })
})

describe('closed registration', () => {
  it('lets the first user in and nobody else, by either door, with or without an invitation', async () => {
    const { server, first, register } = await startWith({ registration: 'CLOSED' })
    try {
      for (const more of [{}, { invitation: 'x'.repeat(43) }]) {
        const { status, body } = await register(more)
        expect([status, body.code, body.detail]).toEqual([
          403,
          'REGISTRATION_CLOSED',
          'Registration is closed on this server.',
        ])
      }
      const input = '{ fullName: "G", email: "g@example.org", password: "correct horse battery" }'
      const mutation = `mutation { register(input: ${input}) { __typename ... on Error { code } } }`
      const answer = await ask(createBrowser(server.url), mutation)
      expect(answer.data.register).toEqual({ __typename: 'RegistrationClosedError', code: 'REGISTRATION_CLOSED' })
      expect((await first.request('POST', INVITATIONS, {})).body.code).toBe('REGISTRATION_CLOSED')
      const shown = await createBrowser(server.url).request('GET', '/api/v1/auth/registration')
      expect(shown.body).toEqual({ registration: 'CLOSED' })
      expect((await server.pool.query('select from users')).rowCount).toBe(1)
    } finally {
      await server.close()
    }
  })

  it('says that it is open as long as there is nobody', async () => {
    const server = await startTestServer({ registration: 'CLOSED' })
    try {
      const shown = async () =>
        (await createBrowser(server.url).request('GET', '/api/v1/auth/registration')).body.registration
      expect(await shown()).toBe('OPEN')
      const { viewer, password } = await createUser(server.services.users)
      expect(await shown()).toBe('CLOSED')
      await server.services.people.deleteUser(viewer, { password, deleteRemote: false })
      expect(await shown()).toBe('OPEN')
      expect((await createUser(server.services.users)).user.role).toBe('ADMINISTRATOR')
    } finally {
      await server.close()
    }
  })
})

describe('registration by invitation', () => {
  let server: TestServer
  let first: Browser
  let member: TestUser
  let register: Awaited<ReturnType<typeof startWith>>['register']
  beforeAll(async () => {
    ;({ server, first, register } = await startWith({ registration: 'INVITE' }))
    const { url } = await invite()
    member = await createUser({ ...server.services.users, register: withInvitation(tokenOf(url)) })
  })
  afterAll(() => server.close())

  const withInvitation =
    (invitation: string): typeof server.services.users.register =>
    (input, client) =>
      server.services.users.register({ ...input, invitation }, client)
  const invite = async (input: object = {}) => {
    const { status, body } = await first.request('POST', INVITATIONS, input)
    expect(status).toBe(201)
    return body as { id: string; url: string; email: string | null; expiresAt: string; state: string }
  }
  const offer = async (token: string) =>
    (await ask(createBrowser(server.url), `{ server { registration invitation(token: "${token}") { email } } }`)).data
      .server

  it('asks for one, and says so', async () => {
    const { status, body } = await register()
    expect([status, body.code]).toEqual([403, 'REGISTRATION_CLOSED'])
    expect(body.detail).toContain('needs an invitation')
  })

  it('takes a link once, also of many at once', async () => {
    const { url, state } = await invite()
    expect(url).toMatch(new RegExp(`^${server.url}/register\\?invite=[\\w-]{43}$`))
    expect(state).toBe('OPEN')
    expect(await offer(tokenOf(url))).toEqual({ registration: 'INVITE', invitation: { email: null } })
    const answers = await Promise.all(Array.from({ length: 8 }, () => register({ invitation: tokenOf(url) })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const refused = answers.find(({ status }) => status !== 201)
    expect(refused?.body).toMatchObject({ status: 400, code: 'INVALID_TOKEN' })
    expect(refused?.body.detail).toContain('invitation does not work')
    expect((await offer(tokenOf(url))).invitation).toBeNull()
    const { items } = (await first.request('GET', INVITATIONS)).body
    expect(items[0]).toMatchObject({ state: 'USED', usedBy: 'Grace Hopper' })
    const joined = answers.find(({ status }) => status === 201)?.body.user
    expect(joined.role).toBe('MEMBER')
  })

  it('holds one for an address to that address, and is not used up by a refusal', async () => {
    const { url } = await invite({ email: ' Grace@Example.org ', expiresInDays: 1 })
    const invitation = tokenOf(url)
    expect((await offer(invitation)).invitation).toEqual({ email: 'Grace@Example.org' })
    const wrong = await register({ invitation })
    expect(wrong.body).toMatchObject({ code: 'INVALID_INPUT', errors: [{ path: 'email' }] })
    expect((await register({ invitation, email: 'grace@example.ORG' })).status).toBe(201)
  })

  it('does not show the address of somebody who has deleted the account', async () => {
    const { id, url } = await invite({ email: 'leaving@example.org' })
    const join = withInvitation(tokenOf(url))
    const { viewer, password } = await createUser(
      { ...server.services.users, register: join },
      { email: 'leaving@example.org' },
    )
    await server.services.people.deleteUser(viewer, { password, deleteRemote: false })
    const { items } = (await first.request('GET', INVITATIONS)).body
    const shown = items.find((item: { id: string }) => item.id === id)
    expect(shown).toMatchObject({ state: 'USED', usedBy: null, email: null })
  })

  it('takes none that was revoked, is over, or was never made', async () => {
    const revoked = await invite()
    expect((await first.request('DELETE', `${INVITATIONS}/${revoked.id}`)).status).toBe(204)
    const over = await invite()
    await server.pool.query(
      `update invitations set expires_at = now() where 'inv_' || replace(id::text, '-', '') = $1`,
      [over.id],
    )
    for (const invitation of [tokenOf(revoked.url), tokenOf(over.url), 'y'.repeat(43), 'short']) {
      expect((await register({ invitation })).body.code).toBe('INVALID_TOKEN')
      expect((await offer(invitation)).invitation).toBeNull()
    }
    expect((await first.request('DELETE', `${INVITATIONS}/${revoked.id}`)).status).toBe(404)
  })

  it('keeps the tokens as hashes, and tells each once', async () => {
    const { url } = await invite()
    const { rows } = await server.pool.query('select row_to_json(i)::text as text from invitations i')
    expect(JSON.stringify(rows)).not.toContain(tokenOf(url))
    expect(JSON.stringify((await first.request('GET', INVITATIONS)).body)).not.toContain(tokenOf(url))
  })

  it.each([
    ['email', { email: 'nobody' }],
    ['expiresInDays', { expiresInDays: 0 }],
    ['expiresInDays', { expiresInDays: 366 }],
  ])('refuses a wrong %s: %o', async (path, input) => {
    const { status, body } = await first.request('POST', INVITATIONS, input)
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'INVALID_INPUT', path])
  })

  it('is for the administrator alone', async () => {
    const other = createBrowser(server.url, member.token)
    for (const [method, path] of [
      ['GET', INVITATIONS],
      ['POST', INVITATIONS],
      ['GET', '/api/v1/administration'],
    ] as const) {
      const { status, body } = await other.request(method, path, method === 'POST' ? {} : undefined)
      expect([status, body.code], path).toEqual([403, 'NOT_ADMINISTRATOR'])
    }
    const query = '{ viewer { role administration { users } } }'
    expect((await ask(other, query)).data.viewer).toEqual({ role: 'MEMBER', administration: null })
    expect((await ask(first, query)).data.viewer).toMatchObject({
      role: 'ADMINISTRATOR',
      administration: { users: expect.any(Number) },
    })
    const mutation = 'mutation { createInvitation(input: {}) { __typename } }'
    expect((await ask(other, mutation)).data.createInvitation.__typename).toBe('NotAdministratorError')
  })

  it('is seen and changed over GraphQL too', async () => {
    const made = await ask(
      first,
      'mutation { createInvitation(input: { email: "x@example.org" }) { ... on CreateInvitationPayload { url invitation { id email state } } } }',
    )
    const { url, invitation } = made.data.createInvitation
    expect(invitation).toMatchObject({ email: 'x@example.org', state: 'OPEN' })
    expect(url).toContain('/register?invite=')
    const revoke = `mutation { revokeInvitation(input: { id: "${invitation.id}" }) { ... on RevokeInvitationPayload { revokedId viewer { administration { invitations { id } } } } } }`
    const { revokedId, viewer: left } = (await ask(first, revoke)).data.revokeInvitation
    expect(revokedId).toBe(invitation.id)
    expect(left.administration.invitations).not.toContainEqual({ id: invitation.id })
  })
})
