import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBalancer } from './balancer.ts'
import { openWay, type Way } from './way.ts'

/**
 * How black-box tests are served, by the environment of the test run: `SERVERS=3` has three servers answer in turn behind nginx,
 * `SERVERS_KILLS=1` kills one of them in each suite and starts it again, `STORAGE=s3` gives each server a data folder of its own and
 * all of them a bucket (sharedStorage.ts), and `PGBOUNCER=1` puts PgBouncer between them and PostgreSQL.
 */
export const FLEET = {
  servers: wholeNumber('SERVERS', 1),
  kills: wholeNumber('SERVERS_KILLS', 0),
  pooled: wholeNumber('PGBOUNCER', 0) > 0,
} as const

function wholeNumber(name: string, fallback: number): number {
  const value = Number(process.env[name] || fallback)
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name} is a whole number.`)
  return value
}

/** A server that dies and comes back. */
export type Mortal = {
  /** Of its present life. */
  readonly url: string
  /** Ends it without a chance to do anything. Nobody asks it then. */
  kill(): Promise<void>
  start(): Promise<void>
}

export type FleetOptions = {
  /** Never dies: tests look into it. */
  readonly first: { readonly url: string }
  readonly others: readonly Mortal[]
  readonly kills?: number
  /** A server also dies under streams: whoever reads them connects again. */
  readonly breaksStreams: boolean
}

export type Fleet = {
  readonly url: string
  /** Resolves when no server dies any more. Before the servers are closed. */
  calm(): Promise<void>
  /** After the servers were closed, so that what they answer last comes through. */
  close(): Promise<void>
}

/**
 * nginx in front of servers. One of them is killed `kills` times, as soon as it has answered requests and is answering none:
 * tests do not repeat requests, and what becomes of a request whose server dies is for the crash test. Meanwhile its
 * share goes to the first server.
 */
export async function startFleet({ first, others, kills = FLEET.kills, breaksStreams }: FleetOptions): Promise<Fleet> {
  const gates = kills > 0 ? await Promise.all(others.map((other) => openGate(other, first, judge))) : []
  const [own, rest] = [first.url, kills > 0 ? gates.map(({ url }) => url) : others.map(({ url }) => url)]
  let left = kills
  let dying: Promise<void> | null = null

  function judge(gate: Gate): void {
    if (left === 0 || dying || !gate.isIdle(breaksStreams)) return
    left -= 1
    dying = gate.die().finally(() => {
      dying = null
    })
    // Reported by `calm`.
    dying.catch(() => undefined)
  }

  const balancer = await startBalancer([own, ...rest])
  return {
    url: balancer.url,
    async calm() {
      left = 0
      await dying
    },
    async close() {
      await balancer.close()
      for (const gate of gates) gate.close()
      if (kills > 0) console.info(JSON.stringify({ servers: others.length + 1, killed: sum(gates) }))
    },
  }
}

const sum = (gates: readonly Gate[]): number => gates.reduce((total, { deaths }) => total + deaths, 0)

type Gate = {
  readonly url: string
  readonly deaths: number
  /** Whether its server has answered something in this life and is answering nothing now. */
  isIdle(exceptStreams: boolean): boolean
  /** Kills its server and starts it again. */
  die(): Promise<void>
  close(): void
}

/** Requests until a server may die: it has read and cached things by then. */
const ANSWERED = 3
/** From its last answer to its death: activities are gathered in memory for a second, and tests count them. */
const LAST_WRITES_MS = 2_000

/** The way from nginx to a server. As nginx opens a connection for each request, connections are requests. */
async function openGate(server: Mortal, deputy: { readonly url: string }, judge: (gate: Gate) => void): Promise<Gate> {
  const streams = new Set<Socket>()
  const requests = new Set<Socket>()
  let answered = 0
  let deaths = 0
  let dead = false
  const way: Way = await openWay({
    to: () => {
      const { hostname: host, port } = new URL(dead ? deputy.url : server.url)
      return { host, port: Number(port) }
    },
    onConnection(near) {
      if (dead) return
      requests.add(near)
      near.once('data', (head: Buffer) => {
        if (!/^accept:.*text\/event-stream/im.test(head.toString('latin1'))) return
        requests.delete(near)
        streams.add(near)
      })
      near.once('close', () => {
        streams.delete(near)
        if (!requests.delete(near)) return
        answered += 1
        judge(gate)
      })
    },
  })
  const gate: Gate = {
    url: `http://127.0.0.1:${way.port}`,
    get deaths() {
      return deaths
    },
    isIdle: (exceptStreams) =>
      answered >= ANSWERED && requests.size === 0 && (exceptStreams || streams.size === 0) && !dead,
    async die() {
      dead = true
      deaths += 1
      await sleep(LAST_WRITES_MS)
      for (const stream of streams) stream.destroy()
      await server.kill()
      await server.start()
      answered = 0
      dead = false
    },
    close: way.close,
  }
  return gate
}
