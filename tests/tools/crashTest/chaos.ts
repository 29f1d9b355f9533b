import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { PORT, prepareDirectories } from '../../../server/db/embedded/directories.ts'
import { type ServerProcess, startProcess } from '../../acceptance/support/process.ts'
import { createBrowser } from '../../setup/browser.ts'
import { type Client, createClient } from './client.ts'
import { type Cloud, type Clouds, type Held, startClouds } from './clouds.ts'
import { judgeFiles } from './judge.ts'
import { createOwner, type Owner } from './owner.ts'
import { createRandom, pick, type Random } from './random.ts'
import { recordRows, traceOf, waitingRemovals } from './trace.ts'
import { untilAnswered } from './writer.ts'

// One group cloud over accounts of six services, with two copies of each file: the server is killed and the services fail in every
// way that they can, while files are uploaded, replaced, moved and deleted. At the end everything that was acknowledged is there,
// twice; after it was deleted, nothing is left anywhere.

export type Chaos = { readonly kills: number; readonly seed: number; readonly owners: number }

export type Judgement = {
  /** What must not happen. */
  readonly violations: readonly string[]
  readonly providers: readonly string[]
  readonly kills: number
  /** What was acknowledged. */
  readonly done: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  readonly files: number
  readonly lost: number
  /** Until every state was true after the last kill and failure. */
  readonly secondsUntilTrue: number
  /** States that were not true after a minute, and bytes and answers that were wrong before. */
  readonly untrue: number
  /** Contents at each provider that belong to no file: before and after everything was deleted. */
  readonly surplus: number
  readonly leftOver: number
  /** What a provider has made in addition to what was sent, with an id that is in no answer. It is in none of the other numbers. */
  readonly madeTwice: number
  /** Removals that the server will try again, later than within the minute. */
  readonly removalsWaiting: number
  readonly seconds: number
}

const COPIES = 2
const TRUE_WITHIN_MS = 60_000

/** @throws Error when it cannot begin */
export async function runChaos({ kills, seed, owners: count }: Chaos): Promise<Judgement> {
  const startedAt = performance.now()
  const clouds = await startClouds()
  let server: ServerProcess | undefined
  try {
    server = await startProcess(clouds.url, { ...clouds.settings, LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent' })
    await recordRows(server.dataDir)
    const violations = new Set<string>()
    const scene = await connectAll(clouds, server)
    const { client, groupCloudId } = scene
    let stopped = false
    const owners = Array.from({ length: count }, (_, index) =>
      createOwner({
        client,
        groupCloudId,
        random: createRandom(seed + 1 + index),
        stopped: () => stopped,
        onViolation: (what) => violations.add(what),
      }),
    )
    const working = Promise.all(owners.map((owner) => owner.run()))
    // Reported where it is awaited.
    working.catch(() => undefined)
    await breakAll(kills, createRandom(seed), scene, server)
    stopped = true
    await working
    const held = owners.flatMap((owner) => [...owner.held.values()])
    const secondsUntilTrue = await untilTrue(scene, owners, violations)
    const untrue = violations.size
    const losses = await judgeFiles(client, held)
    const purged = await judgePurge(scene, owners, violations)
    if (purged.leftOver > 0) await printTraces(server.dataDir, clouds, scene)
    const removalsWaiting = await countRemovals(server.dataDir)
    for (const bug of clouds.bugs()) violations.add(`an emulator has a bug: ${bug}`)
    return {
      violations: [...losses, ...violations],
      providers: clouds.all.map(({ name }) => name),
      kills,
      done: sum(owners.map(({ done }) => done)),
      faults: clouds.faults(),
      files: held.length,
      lost: losses.length,
      secondsUntilTrue,
      untrue,
      ...purged,
      removalsWaiting,
      seconds: Math.round((performance.now() - startedAt) / 1000),
    }
  } finally {
    await server?.close()
    await clouds.close()
  }
}

type Scene = {
  readonly client: Client
  readonly groupCloudId: string
  readonly accounts: readonly { readonly id: string; readonly cloud: Cloud }[]
  reconnect(id: string, cloud: Cloud): Promise<void>
}

async function connectAll(clouds: Clouds, server: ServerProcess): Promise<Scene> {
  const client = await createClient(server.url)
  const browser = createBrowser(server.url, /sid=([^;]+)/.exec(client.cookie)?.[1])
  const accounts: { id: string; cloud: Cloud }[] = []
  for (const cloud of clouds.all) accounts.push({ cloud, id: await cloud.connect(browser) })
  const accountIds = accounts.map(({ id }) => id)
  const pool = { name: 'Six', accountIds, copies: COPIES }
  const { status, body } = await client.json<{ id: string }>('POST', '/group-clouds', pool)
  if (status !== 201) throw new Error(`There is no group cloud: ${status} ${JSON.stringify(body)}`)
  return { client, groupCloudId: body.id, accounts, reconnect: (id, cloud) => cloud.reconnect(browser, id) }
}

/** Kills the server again and again; in every life some calls fail, and now and then an account is full, or its access is revoked. */
async function breakAll(kills: number, random: Random, scene: Scene, server: ServerProcess): Promise<void> {
  let broken: { id: string; cloud: Cloud; how: 'full' | 'revoked' } | null = null
  for (let kill = 0; kill < kills; kill += 1) {
    await connectExpired(scene, broken?.how === 'revoked' ? broken.id : null)
    for (let fault = random.between(4, 14); fault > 0; fault -= 1) pick(scene.accounts, random).cloud.fail(random)
    if (broken) {
      await mend(scene, broken)
      broken = null
    } else if (random.next() < 0.4) {
      const account = pick(scene.accounts, random)
      broken = { ...account, how: pick(['full', 'revoked'] as const, random) }
      await account.cloud.lasting[broken.how]?.()
    }
    await sleep(random.between(200, 3_000))
    await server.kill()
    await server.start()
  }
  for (const { cloud } of scene.accounts) await cloud.repair()
  if (broken) await mend(scene, broken)
}

async function mend(
  { reconnect }: Scene,
  { id, cloud, how }: { id: string; cloud: Cloud; how: string },
): Promise<void> {
  await cloud.repair()
  if (how === 'revoked') await untilConnected(reconnect, id, cloud)
}

async function untilConnected(reconnect: Scene['reconnect'], id: string, cloud: Cloud): Promise<void> {
  // A planned fault may concern it, too.
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await reconnect(id, cloud)
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(200)
    }
  }
}

type Account = { readonly id: string; readonly status: string; readonly statusReason: string }

/**
 * Connects expired accounts again, as their user would. Nothing is sent to them until then, so all faults that are planned for them would
 * wait until the end.
 * @returns the accounts as they were before
 */
async function connectExpired(scene: Scene, except: string | null = null): Promise<readonly Account[]> {
  const { client, accounts, reconnect } = scene
  const { body } = await untilAnswered(() => client.json<{ items: Account[] }>('GET', '/accounts'))
  for (const { id, status } of body.items) {
    const cloud = accounts.find((account) => account.id === id)?.cloud
    if (status === 'EXPIRED' && cloud && id !== except) await untilConnected(reconnect, id, cloud)
  }
  return body.items
}

type Shown = {
  readonly id: string
  readonly state: string
  readonly stateReason: string | null
  readonly copies: readonly { readonly state: string; readonly pieces: readonly { readonly accountId: string }[] }[]
}

/** Waits until each file is stored in two accounts and each account is connected. @returns the seconds */
async function untilTrue(scene: Scene, owners: readonly Owner[], violations: Set<string>) {
  const { client } = scene
  const startedAt = performance.now()
  const ids = owners.flatMap(({ held }) => [...held.keys()])
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10
  let problems: string[] = []
  for (;;) {
    problems = []
    for (const { id, status, statusReason } of await connectExpired(scene)) {
      const name = scene.accounts.find((account) => account.id === id)?.cloud.name
      if (status !== 'CONNECTED') problems.push(`${name} is ${status}: ${statusReason}`)
    }
    for (const id of ids) {
      const { body } = await untilAnswered(() => client.json<Shown>('GET', `/files/${id}`))
      const places = (body.copies ?? [])
        .filter(({ state }) => state === 'STORED')
        .map(({ pieces }) => pieces[0]?.accountId)
      if (body.state !== 'STORED' || new Set(places).size !== COPIES)
        problems.push(`${id} is ${body.state} with ${places.length} copies: ${body.stateReason}`)
    }
    if (problems.length === 0) return seconds()
    if (performance.now() - startedAt > TRUE_WITHIN_MS) break
    await sleep(500)
  }
  for (const problem of problems) violations.add(`after a minute ${problem}`)
  return seconds()
}

/** Compares what the providers hold with the files that are left, then with nothing. */
async function judgePurge({ client, accounts }: Scene, owners: readonly Owner[], violations: Set<string>) {
  const ids = owners.flatMap(({ held }) => [...held.keys()])
  await untilAnswered(() => client.json('POST', '/files/trash/empty'))
  for (const id of ids) await deleteVersions(client, id)
  let pieces = 0
  for (const id of ids) {
    const { body } = await untilAnswered(() => client.json<Shown>('GET', `/files/${id}`))
    pieces += body.copies.flatMap((copy) => copy.pieces).length
  }
  const surplus = await untilLeft(accounts, pieces, violations)
  for (let at = 0; at < ids.length; at += 100) {
    const body = { ids: ids.slice(at, at + 100) }
    await untilAnswered(() => client.json('POST', '/files/delete', body))
  }
  const leftOver = await untilLeft(accounts, 0, violations)
  return { surplus, leftOver, madeTwice: (await heldBy(accounts)).filter(({ madeTwice }) => madeTwice).length }
}

/** Earlier contents of a file, which its copies do not show. */
async function deleteVersions(client: Client, id: string): Promise<void> {
  const path = `/files/${id}/versions?limit=200`
  const { body } = await untilAnswered(() => client.json<{ items: { id: string }[] }>('GET', path))
  const [, ...earlier] = body.items
  for (const version of earlier) await untilAnswered(() => client.json('DELETE', `/versions/${version.id}`))
}

/** On the error output: how each object came to be left over. */
async function printTraces(dataDir: string, clouds: Clouds, { accounts }: Scene): Promise<void> {
  const names = Object.fromEntries(accounts.map(({ id, cloud }) => [id, cloud.name]))
  for (const held of await heldBy(accounts)) {
    if (held.madeTwice) continue
    const calls = clouds.calls().filter(({ service }) => service === held.name)
    const lines = await traceOf(dataDir, calls, held, names)
    console.error([`${held.name} ${held.path}`, ...lines].join('\n  '))
  }
  console.error((await waitingRemovals(dataDir, names)).join('\n'))
}

async function heldBy(accounts: Scene['accounts']): Promise<(Held & { readonly name: string })[]> {
  const found = await Promise.all(
    accounts.map(async ({ cloud: { name, contents } }) => (await contents()).map((held) => ({ ...held, name }))),
  )
  return found.flat()
}

/** @returns how many objects the providers hold beyond the expected number, once there are none or a minute has passed */
async function untilLeft(accounts: Scene['accounts'], expected: number, violations: Set<string>): Promise<number> {
  for (const limit = performance.now() + TRUE_WITHIN_MS; ; await sleep(500)) {
    const found = (await heldBy(accounts)).filter(({ madeTwice }) => !madeTwice)
    const surplus = found.length - expected
    if (surplus === 0) return 0
    if (performance.now() < limit) continue
    if (expected === 0) for (const { name, path } of found) violations.add(`left over: ${name} ${path}`)
    else violations.add(`${surplus} contents at the providers that belong to no file`)
    return surplus
  }
}

async function countRemovals(dataDir: string): Promise<number> {
  const { socket } = prepareDirectories(dataDir)
  const database = new pg.Client({ host: socket, port: PORT, user: 'skypool', database: 'skypool' })
  await database.connect()
  try {
    const { rows } = await database.query<{ count: number }>('select count(*)::int as count from object_removals')
    return rows[0]?.count ?? 0
  } finally {
    await database.end()
  }
}

function sum(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const all: Record<string, number> = {}
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) all[name] = (all[name] ?? 0) + count
  return all
}
