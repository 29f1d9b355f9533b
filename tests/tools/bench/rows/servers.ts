import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Connection, startEmbeddedPostgres } from '../../../../server/db/embedded/embeddedPostgres.ts'
import { createPool } from '../../../../server/db/pool.ts'
import { publicId } from '../../../../server/lib/ids.ts'
import { startBalancer } from '../../../setup/balancer.ts'
import type { Line } from '../context.ts'
import { cpuSecondsOf, median } from '../measure.ts'
import { ownerOf, seedFolder } from '../seed.ts'
import { Client, type Skypool, startSkypool } from '../skypool.ts'

const SERVERS = 3

export type ServersBench = {
  readonly dir: string
  readonly rounds: number
  readonly settings: Readonly<Record<string, string>>
  /** Live streams over all servers. */
  readonly streams: number
}

/** What several servers cost: time of their processors for the same work, and the time until a change at one is an event at another. */
export async function serversRows(bench: ServersBench): Promise<Line[]> {
  const postgres = await startEmbeddedPostgres({
    dataDir: join(bench.dir, 'database'),
    settings: { max_connections: '300' },
  })
  try {
    return [await cpu(bench, postgres.connection), await events(bench, postgres.connection)]
  } finally {
    await postgres.stop()
  }
}

type Group = {
  readonly url: string
  readonly servers: readonly Skypool[]
  readonly pool: pg.Pool
  stop(): Promise<void>
}

/** Servers on a new database and a new folder, behind nginx. */
async function startGroup(bench: ServersBench, connection: Connection, name: string, count: number): Promise<Group> {
  const admin = new pg.Client(connection)
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const own = { ...connection, database: name }
  const dataDir = join(bench.dir, name)
  mkdirSync(dataDir)
  const { host, port, user } = connection
  const env = {
    ...bench.settings,
    DATA_DIR: dataDir,
    DATABASE_URL: `postgresql://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
    // nginx, and this program, which names an address for each user: no address has a thousand connections.
    TRUST_PROXY: 'loopback',
  }
  const servers: Skypool[] = []
  for (let index = 0; index < count; index += 1) servers.push(await startSkypool(env))
  const balancer = await startBalancer(servers.map(({ url }) => url))
  const pool = createPool(own)
  return {
    url: balancer.url,
    servers,
    pool,
    async stop() {
      await balancer.close()
      await Promise.all(servers.map((server) => server.stop()))
      await pool.end()
    },
  }
}

const AT_ONCE = 12
/** Of each kind, in one round. */
const REQUESTS = 400
const WARM_UP_ROUNDS = 3
const FILES = 100
const LIST = `query P($id: ID!) { viewer { files(view: DRIVE, parentId: $id, first: 100) {
  edges { cursor node { id name kind mimeType size state } } pageInfo { hasNextPage } } } }`

/** Row 19: lists by REST and GraphQL and small uploads, by one server and by three. */
async function cpu(bench: ServersBench, connection: Connection): Promise<Line> {
  const groups = [await startGroup(bench, connection, 'one', 1), await startGroup(bench, connection, 'three', SERVERS)]
  try {
    const used: number[][] = groups.map(() => [])
    const works = await Promise.all(groups.map(prepareWork))
    for (let round = -WARM_UP_ROUNDS; round < bench.rounds; round += 1) {
      for (const [index, { servers }] of groups.entries()) {
        const spent = () => servers.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), 0)
        const before = spent()
        // Each process compiles what it runs often: all of them are as warm as the only one.
        await works[index]?.(round < 0 ? REQUESTS * servers.length : REQUESTS)
        if (round >= 0) used[index]?.push(((spent() - before) / (3 * REQUESTS)) * 1000)
      }
    }
    const [one, three] = used.map(median) as [number, number]
    return {
      row: 19,
      measure: `processor time of a request with ${SERVERS} servers, to that with one`,
      figure: `${(three / one).toFixed(2)}  [${three.toFixed(2)} ms, ${one.toFixed(2)} ms]`,
      bar: '1.10',
      goal: '-',
      met: three / one <= 1.1,
    }
  } finally {
    for (const group of groups) await group.stop()
  }
}

/** @returns does `count` requests of each kind */
async function prepareWork({ url, pool }: Group): Promise<(count: number) => Promise<void>> {
  const client = await Client.signUp(url)
  const folder = publicId('File', await seedFolder(pool, await ownerOf(client), 'Listed', FILES))
  const bytes = new Uint8Array(16 * 1024)
  const query = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: LIST, variables: { id: folder } }),
  }
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => client.json(`/api/v1/files?parentId=${folder}&limit=100`),
    () => client.json('/graphql', query),
    () => client.upload(`${crypto.randomUUID()}.txt`, bytes),
  ]
  return async (count) => {
    const waiting = Array.from({ length: count }, () => kinds).flat()
    const work = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await next()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
}

/** As many as a user may have. */
const STREAMS_PER_USER = 5
const CHANGES = 300
const CHANGE_EVERY_MS = 50
const TOLD_WITHIN_MS = 60_000
const SUBSCRIPTION = 'subscription { filesChanged { files { name } } }'

/** Row 20: a folder is made at one server; the time from the request until streams of its user at other servers tell of it. */
async function events(bench: ServersBench, connection: Connection): Promise<Line> {
  const group = await startGroup(bench, connection, 'streams', SERVERS)
  const people: Person[] = []
  try {
    for (let index = 0; index < bench.streams / STREAMS_PER_USER; index += 1)
      people.push(await openPerson(group, index))
    // A stream is open when it has sent an event.
    for (const person of people) await person.change()
    const times: number[] = []
    const changing: Promise<void>[] = []
    for (let index = 0; index < CHANGES; index += 1) {
      const person = people[index % people.length]
      if (person) changing.push(person.change().then((taken) => void times.push(...taken)))
      await sleep(CHANGE_EVERY_MS)
    }
    await Promise.all(changing)
    const sorted = times.toSorted((a, b) => a - b)
    const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN
    return {
      row: 20,
      measure: `from a change at one server to its event at another, ${people.length * STREAMS_PER_USER} live streams`,
      figure: `p99 ${at(0.99).toFixed(0)} ms  [p50 ${at(0.5).toFixed(0)} ms, slowest ${at(1).toFixed(0)} ms, ${sorted.length} events]`,
      bar: 'p99 300 ms',
      goal: '-',
      met: at(0.99) <= 300,
    }
  } finally {
    for (const person of people) person.close()
    await group.stop()
  }
}

type Person = {
  /** Makes a folder. @returns the times until the streams at other servers sent it (ms) */
  change(): Promise<number[]>
  close(): void
}

type Listener = (stream: number, name: string) => void

/** Signed up at one server, with streams at all. */
async function openPerson({ servers }: Group, index: number): Promise<Person> {
  const at = (offset: number): Skypool => servers[(index + offset) % servers.length] as Skypool
  const from = { 'x-forwarded-for': `2001:db8:${index.toString(16)}::1` }
  const home = at(0).url
  const cookie = await signUp(home, from)
  const listeners = new Set<Listener>()
  const streams: IncomingMessage[] = []
  for (let stream = 0; stream < STREAMS_PER_USER; stream += 1) {
    const response = await openStream(at(stream).url, { ...from, cookie })
    readNames(response, (name) => {
      for (const listener of listeners) listener(stream, name)
    })
    streams.push(response)
  }
  const away = streams.flatMap((_, stream) => (stream % servers.length === 0 ? [] : [stream]))

  async function make(name: string): Promise<void> {
    const headers = { ...from, cookie, origin: home, 'content-type': 'application/json' }
    const body = JSON.stringify({ name, parentId: null })
    const response = await fetch(`${home}/api/v1/files/folders`, { method: 'POST', headers, body })
    if (response.status !== 201) throw new Error(`A folder was answered ${response.status}: ${await response.text()}`)
    await response.body?.cancel()
  }

  return {
    async change() {
      const name = crypto.randomUUID()
      const missing = new Set(away)
      const taken: number[] = []
      const startedAt = performance.now()
      let timer: NodeJS.Timeout | undefined
      let listener: Listener = () => undefined
      const told = new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error('A change was not told within a minute.')), TOLD_WITHIN_MS)
        listener = (stream, heard) => {
          if (heard !== name || !missing.delete(stream)) return
          taken.push(performance.now() - startedAt)
          if (missing.size === 0) resolve()
        }
      })
      listeners.add(listener)
      try {
        await Promise.all([make(name), told])
        return taken
      } finally {
        clearTimeout(timer)
        listeners.delete(listener)
      }
    },
    close() {
      for (const stream of streams) stream.destroy()
    },
  }
}

async function signUp(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${url}/api/v1/auth/register`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', origin: url },
    body: JSON.stringify({
      fullName: 'Bench Mark',
      email: `${crypto.randomUUID()}@example.org`,
      password: crypto.randomUUID(),
    }),
  })
  if (response.status !== 201) throw new Error(`register answered ${response.status}: ${await response.text()}`)
  await response.body?.cancel()
  return response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
}

const EACH_ITS_OWN = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })

async function openStream(url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const asked = request(`${url}/graphql`, {
    method: 'POST',
    agent: EACH_ITS_OWN,
    headers: { ...headers, origin: url, 'content-type': 'application/json', accept: 'text/event-stream' },
  })
  asked.end(JSON.stringify({ query: SUBSCRIPTION }))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`A stream was answered ${response.statusCode}.`)
  response.on('error', () => undefined)
  return response
}

/** Calls back with the name of each file that the stream tells of. */
function readNames(response: IncomingMessage, onName: (name: string) => void): void {
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    const events = (rest + text).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const [, data] = /^data: (\{.*)$/m.exec(event) ?? []
      if (data === undefined) continue
      const { data: answer } = JSON.parse(data) as { data?: { filesChanged?: { files: { name: string }[] } } }
      for (const { name } of answer?.filesChanged?.files ?? []) onName(name)
    }
  })
}
