import { expect, vi } from 'vitest'
import type { FileJobState } from '../../../server/domain/fileJobs/contract.ts'
import { parsePublicId, publicId } from '../../../server/lib/ids.ts'
import { createFileJob } from '../../factories/fileJobs.ts'
import { shown } from './accountAnswers.ts'
import { trashDuplicates } from './duplicateAnswers.ts'
import { type Provoke, reusedKey } from './provoke.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const JOBS = '/api/v1/jobs'
const FILES = '/api/v1/files'

/** The address of a job in that state. */
async function jobAt(world: World, state: FileJobState): Promise<string> {
  const { pool } = world.server
  return `${JOBS}/${publicId('Job', await createFileJob(pool, await userOf(world), state))}`
}

/** Another user: their accounts are in no group cloud of the other calls. */
async function withNewUser({ server, browser }: World): Promise<World> {
  return { server, browser: (await given.register({ server, browser })).browser }
}

async function userOf(world: World): Promise<string> {
  const { rows } = await world.server.pool.query<{ id: string }>('select user_id as id from files where id = $1', [
    parsePublicId(await given.uploaded(world))?.id,
  ])
  return rows[0]?.id ?? ''
}

const commanded =
  (command: string, state: FileJobState): Attempt =>
  async (world) =>
    world.browser.request('POST', `${await jobAt(world, state)}/${command}`)

/** A file is copied or moved into the folder of an account. */
const carried =
  (verb: 'copy' | 'move', headers: Record<string, string> = {}): Attempt =>
  async (world) => {
    const parentId = await given.folderOfAccount(world, await shown(world))
    const body = { ids: [await given.uploaded(world)], parentId }
    return world.browser.request('POST', `${FILES}/${verb}`, body, headers)
  }

/** Good answers of the calls on jobs, and those that start them. */
export const JOB_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`GET ${JOBS}`]: {
    200: ['', '?open=true', '?open=false', '?limit=1'].map((query) => async (world) => {
      await jobAt(world, 'PAUSED')
      return world.browser.request('GET', JOBS + query)
    }),
  },
  [`GET ${JOBS}/{id}`]: {
    200: [async (world) => world.browser.request('GET', await jobAt(world, 'FAILED'))],
  },
  [`POST ${JOBS}/{id}/pause`]: { 200: [commanded('pause', 'WAITING'), commanded('pause', 'PAUSED')] },
  [`POST ${JOBS}/{id}/resume`]: { 200: [commanded('resume', 'PAUSED')] },
  [`POST ${JOBS}/{id}/cancel`]: { 200: [commanded('cancel', 'PAUSED'), commanded('cancel', 'CANCELLED')] },
  [`POST ${JOBS}/{id}/retry`]: { 200: [commanded('retry', 'FAILED')] },
  [`POST ${JOBS}/{id}/undo`]: {
    200: [
      async (world) => {
        const { body } = await trashDuplicates(world)
        await vi.waitFor(async () => {
          expect((await world.browser.request('GET', `${JOBS}/${body.id}`)).body).toMatchObject({ state: 'DONE' })
        }, 120_000)
        return world.browser.request('POST', `${JOBS}/${body.id}/undo`)
      },
    ],
  },
}

const MANY = `insert into files (id, user_id, account_id, parent_id, kind, name, name_key, sort_key, search_key, category)
  select gen_random_uuid(), user_id, account_id, id, 'FILE', n::text, n::text, n::text, n::text, 'OTHER'
  from files, generate_series(1, 51) n where id = $1 returning id`

/** More entries of an account than one request changes. */
const changedMany =
  (verb: 'trash' | 'restore' | 'delete'): Attempt =>
  async (world) => {
    const folder = parsePublicId(await given.folderOfAccount(world, await shown(world)))?.id
    const { rows } = await world.server.pool.query<{ id: string }>(MANY, [folder])
    return world.browser.request('POST', `${FILES}/${verb}`, { ids: rows.map(({ id }) => publicId('File', id)) })
  }

export const JOB_STARTS = {
  copy: carried('copy'),
  move: carried('move'),
  trash: changedMany('trash'),
  restore: changedMany('restore'),
  delete: changedMany('delete'),
} as const

/** Commands that come too late, and jobs that an account does not allow or that are one too many. */
export const JOB_CONFLICTS: readonly Provoke[] = [
  ...(['pause', 'resume', 'cancel', 'retry', 'undo'] as const).map(
    (command): Provoke =>
      async (world) => ({
        operation: `POST ${JOBS}/{id}/${command}`,
        answer: await commanded(command, 'DONE')(world),
      }),
  ),
  async (before) => {
    const world = await withNewUser(before)
    const root = await given.folderOfAccount(world, await shown(world))
    const answer = await world.browser.request('POST', `${FILES}/move`, { ids: [root], parentId: null })
    return { operation: `POST ${FILES}/move`, answer }
  },
  async (before) => {
    const world = await withNewUser(before)
    const userId = await userOf(world)
    await Promise.all(Array.from({ length: 100 }, () => createFileJob(world.server.pool, userId, 'PAUSED')))
    return { operation: `POST ${FILES}/copy`, answer: await carried('copy')(world) }
  },
]

/** Of a folder, and something else from an account, into that folder. */
export const JOB_CYCLE: Provoke = async (before) => {
  const world = await withNewUser(before)
  const parentId = await given.folderOfAccount(world, await shown(world))
  const { id } = (await given.makeFolder(world)).body
  const answer = await world.browser.request('POST', `${FILES}/move`, { ids: [parentId, id], parentId: id })
  return { operation: `POST ${FILES}/move`, answer }
}

export const JOB_KEY_REUSED: Provoke = async (before) => {
  const world = await withNewUser(before)
  return reusedKey(`POST ${FILES}/move`, (headers) => carried('move', headers)(world))
}
