import { vi } from 'vitest'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const PATH = '/api/v1/telegram-accounts'
const FIRST_PERSON = 7001
let people = 0

function newPerson({ telegram }: World): number {
  people += 1
  telegram?.addUser({ id: FIRST_PERSON + people, username: `person_${people}` })
  return FIRST_PERSON + people
}

const begin: Attempt = ({ browser }) => browser.request('POST', `${PATH}/registration-code`)

/** A code that this person has sent to the bot. */
async function confirmed(world: World, user: number): Promise<string> {
  const { code, deepLink } = (await begin(world)).body
  const told = () => world.telegram?.messages({ user }).length ?? 0
  const before = told()
  world.telegram?.pressStart({ user, link: deepLink })
  await vi.waitUntil(() => told() > before)
  return code
}

async function connected(world: World, user = newPerson(world)) {
  const body = { code: await confirmed(world, user), name: given.unique('Telegram') }
  return world.browser.request('POST', PATH, body)
}

/** Good ends of the calls on Telegram accounts. */
export const TELEGRAM_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`GET ${PATH}`]: {
    200: [
      async (world) => {
        await connected(world)
        return world.browser.request('GET', `${PATH}?limit=1`)
      },
    ],
  },
  [`POST ${PATH}/registration-code`]: { 200: [begin] },
  [`POST ${PATH}`]: { 201: [(world) => connected(world)] },
  [`PUT ${PATH}/{id}`]: {
    200: [
      async (world) => {
        const user = newPerson(world)
        const { id } = (await connected(world, user)).body
        return world.browser.request('PUT', `${PATH}/${id}`, { code: await confirmed(world, user) })
      },
    ],
  },
}
