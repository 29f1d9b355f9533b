import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser, type TestUser } from '../factories/user.ts'
import { createGraphqlClient, ERROR, type GraphqlClient, mutate } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
let ada: TestUser
let anonymous: GraphqlClient

beforeAll(async () => {
  server = await startTestServer()
  ada = await createUser(server.services.users)
  anonymous = createGraphqlClient(server.url, null)
})

afterAll(() => server?.close())

describe('signing in and out', () => {
  const cookieOf = async (query: string, input: unknown, client = anonymous) => {
    const headers = { 'content-type': 'application/json' }
    const response = await client.raw({ headers, body: JSON.stringify({ query, variables: { input } }) })
    return { cookie: response.headers.getSetCookie()[0] ?? null, ...(await response.json()) }
  }
  const REGISTER = `mutation($input: RegisterInput!) { register(input: $input) { __typename ... on RegisterPayload { viewer { email accounts { name } } } ${ERROR} } }`
  const LOGIN = `mutation($input: LoginInput!) { login(input: $input) { __typename ... on LoginPayload { viewer { email } } ${ERROR} } }`
  const LOGOUT = 'mutation($input: LogoutInput!) { logout(input: $input) { loggedOut } }'

  test('registering signs in and answers as the new user', async () => {
    const input = { fullName: 'Grace Hopper', email: 'grace@example.org', password: 'a long enough secret' }
    const { cookie, data } = await cookieOf(REGISTER, input)
    expect(cookie).toMatch(/^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(data.register.viewer).toEqual({ email: input.email, accounts: [{ name: 'This server' }] })
    const again = await cookieOf(REGISTER, input)
    expect(again.data.register).toMatchObject({ __typename: 'ConflictError', code: 'EMAIL_TAKEN' })
    expect(again.cookie).toBeNull()
    const bad = await cookieOf(REGISTER, { ...input, email: 'x', password: 'short' })
    expect(bad.data.register.fields.map(({ path }: { path: string }) => path)).toEqual(['email', 'password'])
  })

  test('login sets the cookie, logout ends the session at once', async () => {
    const wrong = await cookieOf(LOGIN, { email: ada.email, password: 'not this one' })
    expect(wrong.data.login).toMatchObject({ __typename: 'UnauthenticatedError', code: 'UNAUTHENTICATED' })
    const { cookie, data } = await cookieOf(LOGIN, { email: ada.email, password: ada.password, rememberMe: true })
    expect(data.login.viewer.email).toBe(ada.email)
    expect(cookie).toContain('Expires=')
    const session = createGraphqlClient(server.url, /sid=([^;]+)/.exec(cookie ?? '')?.[1] ?? '')
    expect((await session('{ viewer { email } }')).data.viewer.email).toBe(ada.email)
    expect((await cookieOf(LOGOUT, {}, session)).cookie).toContain('Max-Age=0')
    expect((await session('{ viewer { email } }')).data.viewer).toBeNull()
    expect((await cookieOf(LOGOUT, {})).data.logout.loggedOut).toBe(true)
  })
})

describe('nobody', () => {
  test.each([
    ['createFolder', { name: 'x' }, 'file { id }'],
    ['renameFile', { id: 'file_x', name: 'x' }, 'file { id }'],
    ['moveFiles', { ids: [] }, 'files { id }'],
    ['copyFiles', { ids: [] }, 'files { id }'],
    ['keepChangedVersion', { copyId: 'copy_x' }, 'file { id }'],
    ['starFiles', { ids: [], starred: true }, 'files { id }'],
    ['trashFiles', { ids: [] }, 'files { id }'],
    ['restoreFiles', { ids: [] }, 'files { id }'],
    ['deleteFiles', { ids: [] }, 'deletedIds'],
    ['createGroupCloud', { name: 'x' }, 'groupCloud { id }'],
    ['updateGroupCloud', { id: 'pool_x' }, 'groupCloud { id }'],
    ['deleteGroupCloud', { id: 'pool_x' }, 'deletedId'],
  ])('may not %s', async (name, input, payload) => {
    expect(await mutate(anonymous, name, input, payload)).toEqual({ topLevel: 'UNAUTHENTICATED' })
  })

  test('may not empty a trash', async () => {
    const { errors } = await anonymous('mutation { emptyTrash(input: {}) { deletedCount } }')
    expect(errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED')
  })
})
