import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../demo/skypool.ts'
import { type Alternated, uploadWhileKilling } from './alternating.ts'
import { type Client, createClient } from './client.ts'
import { type Duties, watchDuties } from './duties.ts'
import { type Installation, PERSON, startInstallation } from './installation.ts'
import { countBucketLeftovers, countLeftovers, judgeFiles, type Leftovers } from './judge.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { createRandom, pick, type Random } from './random.ts'
import { countVersions, judgeVersions, runVersionWriter } from './versions.ts'
import { ServerEnded, type Victim } from './victim.ts'
import { runWriter, untilAnswered } from './writer.ts'

// Several servers on one database and one store, behind nginx: they, the database and the store are killed at random moments under
// writers that use all doors. Everything that was acknowledged is there, nothing is left over, and what only one server does at a
// time soon finds another one.

export type ServersOptions = {
  readonly dir: string
  readonly servers: number
  readonly storage: 'folder' | 's3'
  readonly kills: number
  readonly databaseRestarts: number
  /** Where there is a store. */
  readonly storeRestarts: number
  readonly writers: number
  readonly seed: number
  /** Of the upload whose chunks come to all servers; 0: none. */
  readonly megabytes: number
}

export type ServersFigures = Leftovers & {
  readonly acknowledged: number
  /** Of files that are replaced, and how many of these were deleted permanently. */
  readonly versions: number
  readonly purged: number
  readonly lost: number
  readonly databaseRestarts: number
  readonly storeRestarts: number
  readonly duties: Duties
  readonly alternated: Alternated | null
  readonly seconds: number
}

/** What the design promises of duties, and what it takes of a minute in addition. */
const BACK_WITHIN_S = 30
const MINUTE_S = 60
const KILL_EVERY_MS = 5_000
const STARTS = 30
const START_AGAIN_MS = 500

/** @returns figures, and a sentence for each thing that must not happen. @throws Error when it cannot begin or never ends */
export async function crashServers(
  options: ServersOptions,
): Promise<ServersFigures & { readonly violations: string[] }> {
  const startedAt = performance.now()
  const { dir, seed, kills } = options
  const installation = await startInstallation(options)
  try {
    const client = await createClient(installation.url)
    await connectAccount(client)
    const ledger = createLedger(join(dir, 'ledger.jsonl'))
    const watch = watchDuties(installation.connection)
    const storeRestarts = installation.crashStore ? options.storeRestarts : 0
    const losses = await crash({ ...options, storeRestarts }, installation, client, ledger)
    const duties = await watch.stop()
    const alternated =
      options.megabytes > 0
        ? await uploadWhileKilling({
            client,
            servers: installation.servers,
            random: createRandom(seed),
            megabytes: options.megabytes,
            killEveryMs: KILL_EVERY_MS,
          })
        : null
    await installation.sweep()
    losses.push(...(await judgeFiles(client, ledger.entries)), ...(await judgeVersions(client, ledger.documents)))
    const leftovers = await leftoversOf(installation)
    const figures = {
      acknowledged: ledger.entries.length,
      ...countVersions(ledger.documents),
      lost: losses.length,
      ...leftovers,
      databaseRestarts: options.databaseRestarts,
      storeRestarts,
      duties,
      alternated,
      seconds: Math.round((performance.now() - startedAt) / 1000),
    }
    return { ...figures, violations: [...losses, ...judge(figures, kills)] }
  } finally {
    await installation.close()
  }
}

async function connectAccount(client: Client): Promise<void> {
  const json = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await client.json<Answer>(method, path.replace(/^\/api\/v1/, ''), body)
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  // Everything in it is indexed: the feed of an account that holds nothing is read seldom.
  await connect({ json }, 'google', 'Drive', PERSON, 'EVERYTHING')
}

/** @returns a sentence for each loss of acknowledged bytes while it ran */
async function crash(
  { seed, kills, writers: count, databaseRestarts, storeRestarts }: ServersOptions,
  installation: Installation,
  client: Client,
  ledger: Ledger,
): Promise<string[]> {
  const losses: string[] = []
  let stopped = false
  // Every second one replaces files.
  const writers = Array.from({ length: count }, (_, index) =>
    (index % 2 === 0 ? runWriter : runVersionWriter)({
      client,
      ledger,
      random: createRandom(seed + 1 + index),
      stopped: () => stopped,
      // When a server dies before it answers, nginx repeats a DELETE at another one.
      repeatsDeletions: true,
      onLoss: (what) => losses.push(what),
    }),
  )
  const working = Promise.all(writers)
  // Reported where it is awaited; a writer may fail while we are killing.
  working.catch(() => undefined)
  const random = createRandom(seed)
  for (const event of shuffled({ kill: kills, database: databaseRestarts, store: storeRestarts }, random)) {
    await sleep(random.between(100, 1_000))
    if (event === 'kill') await killOne(installation, random)
    else if (event === 'database') installation.crashDatabase()
    else await installation.crashStore?.()
  }
  // Whoever writes last does so on a whole installation.
  for (const server of installation.servers) await server.ready()
  await untilAnswered(() => client.json('GET', '/auth/me'))
  stopped = true
  await working
  ledger.close()
  return losses
}

/** Kills a server, every fourth time another one with it, and starts it again after up to a second. */
async function killOne({ servers }: Installation, random: Random): Promise<void> {
  const victim = pick(servers, random)
  const second =
    random.next() < 0.25
      ? pick(
          servers.filter((server) => server !== victim),
          random,
        )
      : null
  await victim.kill()
  await second?.kill()
  await sleep(random.between(0, 1_000))
  for (const server of [victim, second]) if (server) await startUnderSupervisor(server)
}

/** A server that finds no database ends; what starts servers tries again. */
async function startUnderSupervisor(server: Victim): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await server.start()
    } catch (error) {
      if (!(error instanceof ServerEnded) || attempt === STARTS) throw error
      await sleep(START_AGAIN_MS)
    }
  }
}

/** Each event as often as its count says, in random order. */
function shuffled<Event extends string>(counts: Readonly<Record<Event, number>>, random: Random): Event[] {
  const events = (Object.keys(counts) as Event[]).flatMap((event) => Array.from({ length: counts[event] }, () => event))
  return events
    .map((event) => ({ event, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ event }) => event)
}

function leftoversOf({ bucket, dataDirs, connection }: Installation): Promise<Leftovers> {
  return bucket ? countBucketLeftovers(bucket, connection) : countLeftovers(dataDirs[0] ?? '', connection)
}

function judge(
  figures: Omit<ServersFigures, 'lost' | 'acknowledged' | 'versions' | 'purged' | 'seconds'>,
  kills: number,
): string[] {
  const { staged, unreferenced, missing, miscounted, orphaned, uncounted, duties, alternated } = figures
  const wrong = Object.entries({ staged, unreferenced, missing, miscounted, orphaned, uncounted }).filter(
    ([, count]) => count > 0,
  )
  const sentences = wrong.map(([name, count]) => `${name}: ${count}`)
  if (kills > 0) {
    for (const [name, { longest }] of Object.entries(duties.gaps))
      if (longest > BACK_WITHIN_S) sentences.push(`no server had the duty ${name} for ${longest} s`)
    if (duties.cronBehind > MINUTE_S + BACK_WITHIN_S)
      sentences.push(`no server queued the jobs of a minute for ${duties.cronBehind} s`)
  }
  if (alternated && !alternated.intact) sentences.push('the upload in turn has other bytes')
  if (alternated && alternated.resent > alternated.kills)
    sentences.push(`${alternated.resent} chunks were sent again after ${alternated.kills} kills`)
  return sentences
}
