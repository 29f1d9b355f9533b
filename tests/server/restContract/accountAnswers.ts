import { parsePublicId, publicId } from '../../../server/lib/ids.ts'
import { HARBOUR_ADDRESS } from '../../fakes/harbour/harbour.ts'
import { newLogin } from '../../setup/connectAccount.ts'
import type { Login } from '../../setup/loginProvider.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

export type Kind = 'google' | 'dropbox'

export const pathOf = (kind: Kind) => `/api/v1/${kind}-accounts`

/** What the provider sends back to a browser that was sent there. */
export async function granted({ server, browser }: World, kind: Kind, login: Login) {
  const { body } = await browser.request('GET', `${pathOf(kind)}/init`)
  return server[kind].consent(body.authorizationUrl, login)
}

/** A new account, of a new login unless it is given. */
export async function connected(world: World, kind: Kind, login = newLogin({ google: world.server[kind] })) {
  const body = { ...(await granted(world, kind, login)), name: given.unique('Drive') }
  return { login, answer: await world.browser.request('POST', `${pathOf(kind)}/auth`, body) }
}

const get =
  (path: string): Attempt =>
  ({ browser }) =>
    browser.request('GET', path)

/** An account of which everything is shown. @returns its public id */
export async function shown(world: World): Promise<string> {
  const { id } = (await connected(world, 'google')).answer.body
  await world.server.pool.query(
    `with root as (
       insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category)
       select gen_random_uuid(), user_id, id, 'FOLDER', name, name, name, name, 'FOLDER' from accounts where id = $1
       returning id)
     insert into account_indexes (account_id, root_file_id, passed_at) select $1, id, now() from root`,
    [parsePublicId(id)?.id],
  )
  return id
}

/** A document of an account. @returns its public id */
export async function documentOf(world: World): Promise<string> {
  const accountId = parsePublicId(await shown(world))?.id
  const { rows } = await world.server.pool.query(
    `with file as (
       insert into files (id, user_id, account_id, parent_id, kind, name, name_key, sort_key, search_key, category, native)
       select gen_random_uuid(), a.user_id, a.id, i.root_file_id, 'FILE', 'Plan', 'plan', 'plan', 'plan', 'DOCUMENT', true
       from accounts a join account_indexes i on i.account_id = a.id where a.id = $1 returning id)
     insert into account_entries (file_id, account_id, ref, native_kind, export_types, rights)
     select id, $1, 'plan', 'DOCUMENT', 'docx,pdf', 63 from file returning file_id as id`,
    [accountId],
  )
  return publicId('File', rows[0].id)
}

type Answers = Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>>

const ofProvider = (kind: Kind): Answers => {
  const path = pathOf(kind)
  return {
    [`GET ${path}`]: { 200: [get(path), get(`${path}?limit=1`)] },
    [`GET ${path}/client-id`]: { 200: [get(`${path}/client-id`)] },
    [`GET ${path}/init`]: {
      200: [
        get(`${path}/init`),
        async (world) => {
          const { id } = (await connected(world, kind)).answer.body
          return world.browser.request('GET', `${path}/init?accountId=${id}`)
        },
      ],
    },
    [`POST ${path}/auth`]: { 201: [async (world) => (await connected(world, kind)).answer] },
    [`PUT ${path}/{id}`]: {
      200: [
        async (world) => {
          const { login, answer } = await connected(world, kind)
          return world.browser.request('PUT', `${path}/${answer.body.id}`, await granted(world, kind, login))
        },
      ],
    },
    [`DELETE ${path}/{id}`]: {
      204: ['', '?force=true'].map((query) => async (world: World) => {
        const { id } = (await connected(world, kind)).answer.body
        return world.browser.request('DELETE', `${path}/${id}${query}`)
      }),
    },
  }
}

/** What a new user of Harbour enters. */
function harbourFields({ harbour }: World): Readonly<Record<string, string>> {
  const user = given.unique('captain')
  harbour?.setPassword(user, 'anchor')
  return { address: HARBOUR_ADDRESS, user, password: 'anchor' }
}

async function moored(world: World) {
  const fields = harbourFields(world)
  const body = { provider: 'harbour', name: given.unique('Quay'), fields, scope: 'OWN' }
  return { fields, answer: await world.browser.request('POST', '/api/v1/accounts', body) }
}

/** Good ends of the calls on accounts. */
export const ACCOUNT_ANSWERS: Answers = {
  ...ofProvider('google'),
  ...ofProvider('dropbox'),
  'GET /api/v1/providers': { 200: [get('/api/v1/providers'), get('/api/v1/providers?limit=1')] },
  'GET /api/v1/accounts': { 200: [get('/api/v1/accounts'), get('/api/v1/accounts?provider=local&limit=1')] },
  'POST /api/v1/accounts': { 201: [async (world) => (await moored(world)).answer] },
  'POST /api/v1/accounts/test': {
    200: [
      (world) =>
        world.browser.request('POST', '/api/v1/accounts/test', { provider: 'harbour', fields: harbourFields(world) }),
      (world) => {
        const fields = { ...harbourFields(world), password: 'wrong' }
        return world.browser.request('POST', '/api/v1/accounts/test', { provider: 'harbour', fields })
      },
      async (world) => {
        const { fields, answer } = await moored(world)
        const body = { provider: 'harbour', fields: { ...fields, password: '' }, accountId: answer.body.id }
        return world.browser.request('POST', '/api/v1/accounts/test', body)
      },
    ],
  },
  'GET /api/v1/accounts/{id}/form': {
    200: [
      async (world) => world.browser.request('GET', `/api/v1/accounts/${(await moored(world)).answer.body.id}/form`),
      async (world) => {
        const { id } = (await connected(world, 'google')).answer.body
        return world.browser.request('GET', `/api/v1/accounts/${id}/form`)
      },
    ],
  },
  'PUT /api/v1/accounts/{id}': {
    200: [
      async (world) => {
        const { fields, answer } = await moored(world)
        return world.browser.request('PUT', `/api/v1/accounts/${answer.body.id}`, {
          fields: { ...fields, password: '' },
        })
      },
    ],
  },
  'GET /api/v1/accounts/{id}': {
    200: [
      async (world) => world.browser.request('GET', `/api/v1/accounts/${(await moored(world)).answer.body.id}`),
      async (world) => world.browser.request('GET', `/api/v1/accounts/${await shown(world)}`),
    ],
  },
  'PATCH /api/v1/accounts/{id}': {
    200: [
      async (world) => {
        const { id } = (await connected(world, 'google')).answer.body
        return world.browser.request('PATCH', `/api/v1/accounts/${id}`, { name: 'New name', hue: 5 })
      },
      async (world) => {
        const id = await shown(world)
        return world.browser.request('PATCH', `/api/v1/accounts/${id}`, { name: 'Everything' })
      },
    ],
  },
  'GET /api/v1/accounts/{id}/drives': {
    200: [async (world) => world.browser.request('GET', `/api/v1/accounts/${await shown(world)}/drives`)],
  },
  'POST /api/v1/accounts/{id}/index/refresh': {
    202: [
      async (world) => {
        const id = await shown(world)
        return world.browser.request('POST', `/api/v1/accounts/${id}/index/refresh`)
      },
    ],
  },
  'POST /api/v1/accounts/{id}/index/deletions': {
    204: [true, false].map((accept) => async (world: World) => {
      const id = await shown(world)
      const accountId = parsePublicId(id)?.id
      await world.server.pool.query('update account_indexes set held = 101 where account_id = $1', [accountId])
      return world.browser.request('POST', `/api/v1/accounts/${id}/index/deletions`, { accept })
    }),
  },
  'GET /api/v1/room': {
    200: [
      async (world) => {
        const { body } = await world.browser.request('GET', '/api/v1/accounts?provider=local')
        const folder = await given.makeFolder(world)
        const ids = [await given.uploaded(world)]
        await world.browser.request('POST', '/api/v1/files/move', { ids, parentId: folder.body.id })
        return world.browser.request('GET', `/api/v1/room?accountId=${body.items[0].id}`)
      },
      async (world) => world.browser.request('GET', `/api/v1/room?accountId=${await shown(world)}&home=ACCOUNT`),
    ],
  },
  'POST /api/v1/quotas/by-ids-and-types': {
    200: [
      async (world) => {
        const { login, answer } = await connected(world, 'google')
        world.server.google.withdraw(login)
        await world.server.pool.query('update accounts set quota_checked_at = null')
        const asked = [{ id: answer.body.id, type: 'google' }]
        return world.browser.request('POST', '/api/v1/quotas/by-ids-and-types', asked)
      },
    ],
  },
}
