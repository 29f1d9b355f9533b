import { publicId } from '../../../server/lib/ids.ts'
import { createProtection } from '../../factories/protection.ts'
import { shown } from './accountAnswers.ts'
import type { Provoke } from './provoke.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const FILES = '/api/v1/files'

/** The folder of an account, and a group cloud with another one. */
async function protectable(world: World) {
  const folderId = await given.folderOfAccount(world, await shown(world))
  const { items } = (await world.browser.request('GET', '/api/v1/group-clouds')).body
  const path = `${FILES}/${folderId}/protection`
  return { path, body: { groupCloudId: items[0].id, copies: 1, keepVersionsDays: 14 } }
}

async function planted(world: World) {
  const { id } = (await world.browser.request('GET', '/api/v1/auth/me')).body
  const { rows } = await world.server.pool.query<{ id: string }>(
    `select id from users where replace(id::text, '-', '') = $1`,
    [id.split('_')[1]],
  )
  const { folderId, versionId } = await createProtection(world.server.pool, rows[0]?.id ?? '')
  return { folder: publicId('File', folderId), version: publicId('EarlierVersion', versionId) }
}

/** Good answers of the calls on protecting copies. */
export const PROTECTION_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`PUT ${FILES}/{id}/protection`]: {
    200: [
      async (world) => {
        const { path, body } = await protectable(world)
        return world.browser.request('PUT', path, body)
      },
    ],
  },
  [`DELETE ${FILES}/{id}/protection`]: {
    204: [
      async (world) => {
        const { path, body } = await protectable(world)
        await world.browser.request('PUT', path, body)
        return world.browser.request('DELETE', path)
      },
    ],
  },
  [`GET ${FILES}/{id}/earlier-versions`]: {
    200: [async (world) => world.browser.request('GET', `${FILES}/${(await planted(world)).folder}/earlier-versions`)],
  },
  'POST /api/v1/earlier-versions/{id}/restore': {
    202: [
      async (world) =>
        world.browser.request('POST', `/api/v1/earlier-versions/${(await planted(world)).version}/restore`),
    ],
  },
}

/** More copies than other accounts. */
export const PROTECTION_CONFLICT: Provoke = async (world) => {
  const { path, body } = await protectable(world)
  const answer = await world.browser.request('PUT', path, { ...body, copies: 2 })
  return { operation: `PUT ${FILES}/{id}/protection`, answer }
}
