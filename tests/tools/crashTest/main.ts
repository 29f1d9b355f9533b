import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Kind } from '../../acceptance/support/emulators.ts'
import { runChaos } from './chaos.ts'
import { createClient } from './client.ts'
import { countLeftovers, judgeFiles } from './judge.ts'
import { createLedger } from './ledger.ts'
import { moveThroughKills } from './move.ts'
import { createRandom } from './random.ts'
import { resumeThroughCuts } from './resume.ts'
import { crashServers } from './servers.ts'
import { countVersions, judgeVersions, runVersionWriter } from './versions.ts'
import { createVictim, type Victim } from './victim.ts'
import { runWriter } from './writer.ts'

/**
 * `npm run crash-test`: kills the built server and its database at random moments under writers that upload files, replace them, and restore
 * and delete their versions, and judges by its own ledger, through the public API, whether everything that was acknowledged is still there. Exits with 1
 * on any loss or leftover. `--move`:
 * instead, under a folder that is moved from one emulated account to another one while both fail, see `move.ts`. `--providers six`:
 * instead, over one group cloud of six services that all fail, see `chaos.ts`. `--servers 3`: instead, several servers behind nginx,
 * on a shared folder or with `--storage s3` on Swift's bucket, see `servers.ts`.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    'db-restarts': { type: 'string' },
    'store-restarts': { type: 'string' },
    cuts: { type: 'string', default: '20' },
    writers: { type: 'string' },
    servers: { type: 'string' },
    storage: { type: 'string', default: 'folder' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    move: { type: 'boolean', default: false },
    providers: { type: 'string' },
    from: { type: 'string', default: 'google' },
    to: { type: 'string', default: 'dropbox' },
    megabytes: { type: 'string' },
    failures: { type: 'string', default: '5' },
  },
})
const kills = Number(values.kills ?? (values.move ? 20 : 100))
const writers = Number(values.writers ?? (values.servers ? 8 : 4))
const databaseRestarts = Number(values['db-restarts'] ?? (values.servers ? Math.ceil(kills / 2) : 20))

const dataDir = mkdtempSync(join(tmpdir(), 'skypool-crash-'))
const failed = await chosen()().finally(() => rmSync(dataDir, { recursive: true, force: true }))
process.exit(failed ? 1 : 0)

function chosen(): () => Promise<boolean> {
  if (values.servers) return servers
  if (values.providers) return chaos
  return values.move ? move : run
}

async function servers(): Promise<boolean> {
  const { storage, seed } = values
  if (storage !== 'folder' && storage !== 's3') throw new Error('--storage is folder or s3.')
  const { violations, ...figures } = await crashServers({
    dir: dataDir,
    servers: Number(values.servers),
    storage,
    kills,
    databaseRestarts,
    storeRestarts: Number(values['store-restarts'] ?? Math.ceil(kills / 2)),
    writers,
    seed: Number(seed),
    megabytes: Number(values.megabytes ?? 1024),
  })
  for (const violation of violations) console.error(violation)
  console.log(
    JSON.stringify({
      seed,
      servers: values.servers,
      storage,
      kills,
      writers,
      ...figures,
      violations: violations.length,
    }),
  )
  return violations.length > 0
}

async function move(): Promise<boolean> {
  const { from, to, seed, megabytes = '3000', failures } = values
  const numbers = { megabytes: Number(megabytes), failures: Number(failures), seed: Number(seed), kills }
  const { violations, ...figures } = await moveThroughKills({ from: kindOf(from), to: kindOf(to), ...numbers })
  for (const violation of violations) console.error(violation)
  console.log(
    JSON.stringify({ from, to, seed, megabytes: numbers.megabytes, ...figures, violations: violations.length }),
  )
  return violations.length > 0
}

async function chaos(): Promise<boolean> {
  if (values.providers !== 'six') throw new Error('There is --providers six.')
  const { violations, ...figures } = await runChaos({
    kills,
    seed: Number(values.seed),
    owners: writers,
  })
  for (const violation of violations) console.error(violation)
  console.log(JSON.stringify({ seed: values.seed, ...figures, violations: violations.length }))
  return violations.length > 0
}

function kindOf(text: string): Kind {
  if (text === 'google' || text === 'dropbox') return text
  throw new Error(`There is no emulated ${text}: there are google and dropbox.`)
}

async function run(): Promise<boolean> {
  const startedAt = performance.now()
  const victim = await createVictim(join(dataDir, 'data'))
  try {
    await victim.start()
    const client = await createClient(victim.url)
    const ledger = createLedger(join(dataDir, 'ledger.jsonl'))
    const losses = await crash(victim, client, ledger)
    losses.push(...(await judgeFiles(client, ledger.entries)), ...(await judgeVersions(client, ledger.documents)))
    const leftovers = await countLeftovers(join(dataDir, 'data'))
    const resumed = await resumeThroughCuts(client, createRandom(Number(values.seed)), Number(values.cuts))
    for (const loss of losses) console.error(loss)
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(
      JSON.stringify({
        seed: values.seed,
        kills,
        dbRestarts: databaseRestarts,
        seconds,
        acknowledged: ledger.entries.length,
        ...countVersions(ledger.documents),
        lost: losses.length,
        ...leftovers,
        resumed,
      }),
    )
    const leftOver = Object.values(leftovers).some((count) => count > 0)
    return losses.length > 0 || leftOver || !resumed.intact || resumed.mostResent > resumed.chunk
  } finally {
    await victim.stop()
  }
}

/** @returns a sentence for each loss of acknowledged bytes while it ran; afterwards the server has just been restarted */
async function crash(
  victim: Victim,
  client: Awaited<ReturnType<typeof createClient>>,
  ledger: ReturnType<typeof createLedger>,
): Promise<string[]> {
  const seed = Number(values.seed)
  const random = createRandom(seed)
  const losses: string[] = []
  let stopped = false
  // Every second one replaces files.
  const write = (index: number) =>
    (index % 2 === 0 ? runWriter : runVersionWriter)({
      client,
      ledger,
      random: createRandom(seed + 1 + index),
      stopped: () => stopped,
      onLoss: (what) => losses.push(what),
    })
  const working = Promise.all(Array.from({ length: writers }, (_, index) => write(index)))
  // Reported where it is awaited; a writer may fail while we are killing.
  working.catch(() => undefined)
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(random.between(50, 1_200))
    await victim.kill()
    await victim.start()
  }
  for (let restart = 0; restart < databaseRestarts; restart += 1) {
    await sleep(random.between(200, 800))
    victim.crashDatabase()
    await sleep(50)
    await victim.ready()
  }
  stopped = true
  await working
  ledger.close()
  await victim.kill()
  await victim.start()
  return losses
}
