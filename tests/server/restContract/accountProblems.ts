import { newId, parsePublicId } from '../../../server/lib/ids.ts'
import { newLogin } from '../../setup/connectAccount.ts'
import { connected, granted, pathOf } from './accountAnswers.ts'
import { call, type Provoke } from './provoke.ts'
import * as given from './world.ts'

const GOOGLE = pathOf('google')
const connect = `POST ${GOOGLE}/auth`

/** The account is told to hold the only copy of a file. */
const onlyCopy: Provoke = async (world) => {
  const { id } = (await connected(world, 'google')).answer.body
  const file = parsePublicId(await given.uploaded(world))
  await world.server.pool.query(
    `update pieces set account_id = $1, object_ref = $3 where copy_id = (select id from copies where file_id = $2)`,
    [parsePublicId(id)?.id, file?.id, newId()],
  )
  return call(world, `DELETE ${GOOGLE}/{id}`, { at: `${GOOGLE}/${id}` })
}

/** Ways to the codes that only accounts have. */
export const ACCOUNT_PROBLEMS = {
  AUTHORIZATION_FAILED: [
    (world) => call(world, connect, { body: { code: 'made up', name: 'Drive' } }),
    (world) => call(world, connect, { body: { code: 'made up', name: 'Drive', state: 'guessed' } }),
  ],
  ACCOUNT_CONNECTED: [
    async (world) => {
      const { login } = await connected(world, 'google')
      return { operation: connect, answer: (await connected(world, 'google', login)).answer }
    },
  ],
  OTHER_LOGIN: [
    async (world) => {
      const { id } = (await connected(world, 'google')).answer.body
      const body = await granted(world, 'google', newLogin(world.server))
      return call(world, `PUT ${GOOGLE}/{id}`, { at: `${GOOGLE}/${id}`, body })
    },
  ],
  FILES_WOULD_BE_LOST: [onlyCopy],
  PROVIDER_UNAVAILABLE: [
    (world) => call(world, `GET ${pathOf('dropbox')}/init`),
    (world) => call(world, `GET ${pathOf('dropbox')}/client-id`),
  ],
  PROVIDER_FAILED: [
    async (world) => {
      const body = { ...(await granted(world, 'google', newLogin(world.server))), name: 'Drive' }
      world.server.google.failWith('Transient')
      const provoked = await call(world, connect, { body })
      world.server.google.failWith(null)
      return provoked
    },
  ],
} as const satisfies Readonly<Record<string, readonly Provoke[]>>
