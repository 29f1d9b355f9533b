import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { hasNginx } from '../setup/balancer.ts'
import { type Fleet, startFleet } from '../setup/fleet.ts'

/** Kills under tests that do not repeat requests: no test may fail because of one. */

type Life = { readonly url: string; readonly server: Server }
const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Answers with its name; `/slow` when it is released, `/stream` never ends. */
async function listen(name: string, held: (() => void)[] = []): Promise<Life> {
  const server = createServer((request, response) => {
    if (request.url === '/slow') held.push(() => response.end(name))
    else if (request.url === '/stream') response.write('begun\n')
    else response.end(name)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function start(breaksStreams: boolean) {
  const first = await listen('first')
  const held: (() => void)[] = []
  let life = await listen('life 1', held)
  const lives: string[] = ['life 1']
  let comeBack = () => {}
  const isBack = new Promise<void>((resolve) => {
    comeBack = resolve
  })
  const fleet: Fleet = await startFleet({
    first,
    kills: 1,
    breaksStreams,
    others: [
      {
        get url() {
          return life.url
        },
        async kill() {
          life.server.closeAllConnections()
          life.server.close()
        },
        async start() {
          await isBack
          life = await listen('life 2', held)
          lives.push('life 2')
        },
      },
    ],
  })
  closing.push(async () => {
    comeBack()
    await fleet.calm()
    await fleet.close()
  })
  const ask = async (path = '/') => (await fetch(fleet.url + path)).text()
  const stream = () => fetch(`${fleet.url}/stream`, { headers: { accept: 'text/event-stream' } })
  return { ask, stream, held, lives, comeBack }
}

const several = async (ask: () => Promise<string>, count: number) => {
  const answers: string[] = []
  for (let index = 0; index < count; index += 1) answers.push(await ask())
  return new Set(answers)
}

describe.skipIf(!hasNginx)('a server that is killed under tests', () => {
  it('dies between requests, is replaced by the first one, and comes back', async () => {
    const { ask, comeBack, lives } = await start(false)
    expect(await several(ask, 2)).toEqual(new Set(['first', 'life 1']))
    await expect.poll(() => several(ask, 2)).toEqual(new Set(['first']))
    comeBack()
    await expect.poll(() => several(ask, 2)).toEqual(new Set(['first', 'life 2']))
    expect(lives).toEqual(['life 1', 'life 2'])
  })

  it('does not die while it answers', async () => {
    const { ask, held } = await start(false)
    // Two of them, so that one is at the server that can die.
    const slow = Promise.all([ask('/slow'), ask('/slow')])
    await expect.poll(() => held.length).toBe(1)
    expect(await several(ask, 20)).toContain('life 1')
    held[0]?.()
    slow.catch(() => undefined)
  })

  it.each([true, false])('breaks streams: %s', async (breaks) => {
    const { ask, stream } = await start(breaks)
    const bodies = (await Promise.all([stream(), stream()])).map((response) => response.body?.getReader())
    const chunks = await Promise.all(bodies.map((body) => body?.read()))
    expect(chunks).toHaveLength(2)
    await several(ask, 12)
    if (breaks) await expect.poll(() => several(ask, 2)).toEqual(new Set(['first']))
    else expect(await several(ask, 4)).toContain('life 1')
    for (const body of bodies) body?.cancel().catch(() => undefined)
  })
})
