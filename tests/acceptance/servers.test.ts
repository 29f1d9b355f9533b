import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parsePublicId } from '../../server/lib/ids.ts'
import type { Answer } from '../setup/browser.ts'
import { type Cluster, startCluster } from './support/cluster.ts'
import { MIB, type Providers, startProviders } from './support/emulators.ts'
import { expectStatus, type Person, register, sha256, until } from './support/person.ts'
import type { ServerProcess } from './support/process.ts'

/**
 * Two servers on one database and one data folder behind nginx, one of which comes and goes. A full run is `STARTS=20 CHUNKS=64
 * KILLS=20 npx vitest run --config tests/vitest.config.ts tests/acceptance/servers.test.ts`, a quarter of an hour.
 */
const count = (name: string, fallback: number) => Number(process.env[name] ?? fallback)
const STARTS = count('STARTS', 2)
const CHUNKS = count('CHUNKS', 8)
const KILLS = count('KILLS', 1)
/** What the page says; a dead server is known after half of it. */
const GOES_ON_SECONDS = 60

let providers: Providers
let cluster: Cluster
let ada: Person
let poolId: string
let email: string

beforeAll(async () => {
  providers = await startProviders()
  cluster = await startCluster(providers.url)
  ada = await register(cluster.url)
  email = providers.addPerson('google', 1024 * MIB)
  poolId = await ada.pool([await ada.connect('google', email)])
})
afterAll(async () => {
  await cluster?.close()
  await providers?.close()
})

type Kept = { readonly id: string; readonly sha256: string }

const at = (server: { readonly url: string }, path: string, init: RequestInit = {}) =>
  fetch(new URL(path, server.url), {
    ...init,
    headers: { ...init.headers, origin: server.url, cookie: `sid=${ada.token}` },
  })

async function expectAll(kept: readonly Kept[]): Promise<void> {
  const lost: string[] = []
  for (const { id, sha256: expected } of kept) {
    for (const server of cluster.servers) {
      const answer = await at(server, `/api/v1/files/${id}/download`)
      const found = sha256(Buffer.from(await answer.arrayBuffer()))
      if (answer.status !== 200 || found !== expected) lost.push(`${id} at ${server.url}: ${answer.status}`)
    }
  }
  expect(lost).toEqual([])
}

/** Each door, at the first server. Null: it was refused, or the connection broke. */
const doors: readonly ((bytes: Buffer) => Promise<string | null>)[] = [
  async (bytes) => {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bytes)]), `${crypto.randomUUID()}.bin`)
    const answer = await at(cluster.servers[0], '/api/v1/files', { method: 'POST', body: form })
    return answer.status === 201 ? ((await answer.json()) as { id: string }).id : null
  },
  async (bytes) => {
    const form = new FormData()
    const query = `mutation ($input: UploadFileInput!) { uploadFile(input: $input) { ... on UploadFilePayload { file { id } } } }`
    form.set('operations', JSON.stringify({ query, variables: { input: { file: null } } }))
    form.set('map', JSON.stringify({ 0: ['variables.input.file'] }))
    form.set('0', new Blob([new Uint8Array(bytes)]), `${crypto.randomUUID()}.bin`)
    const headers = { 'graphql-require-preflight': '1' }
    const answer = await at(cluster.servers[0], '/graphql', { method: 'POST', body: form, headers })
    const { data } = (await answer.json()) as { data?: { uploadFile?: { file?: { id: string } } } }
    return data?.uploadFile?.file?.id ?? null
  },
  async (bytes) => {
    const location = await openUpload(bytes.length, cluster.servers[0])
    const answer = await append(cluster.servers[0], location, 0, bytes)
    return answer.status === 204 ? answer.headers.get('skypool-file-id') : null
  },
]

async function openUpload(size: number, server: { readonly url: string } = cluster): Promise<string> {
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-length': String(size),
    'upload-metadata': `filename ${Buffer.from(`${crypto.randomUUID()}.bin`).toString('base64')}`,
  }
  const created = await at(server, '/api/v1/uploads', { method: 'POST', headers })
  expect(created.status).toBe(201)
  return created.headers.get('location') ?? ''
}

const append = (server: { readonly url: string }, location: string, offset: number, bytes: Buffer) =>
  at(server, location, {
    method: 'PATCH',
    body: new Uint8Array(bytes),
    headers: {
      'tus-resumable': '1.0.0',
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
    },
  })

it(`of what one server receives by all doors, nothing is lost when the other one starts ${STARTS} times`, async () => {
  const kept: Kept[] = []
  let refused = 0
  let over = false
  const sender = async (upload: (bytes: Buffer) => Promise<string | null>) => {
    while (!over) {
      const bytes = randomBytes(MIB + Math.floor(Math.random() * 3 * MIB))
      const id = await upload(bytes)
      if (id === null) refused += 1
      else kept.push({ id, sha256: sha256(bytes) })
    }
  }
  const sending = Promise.all(doors.map(sender))
  sending.catch(() => undefined)
  const [, second] = cluster.servers
  for (let start = 0; start < STARTS; start += 1) {
    const before = kept.length
    if (start % 2 === 0) await second.killAndStart()
    else await second.restart()
    // Each start stands among uploads of all doors.
    await until(
      async () => kept.length,
      (length) => length >= before + 3,
      60,
    )
  }
  over = true
  await sending
  console.info(JSON.stringify({ starts: STARTS, acknowledged: kept.length, refused }))
  expect(refused).toBe(0)
  await expectAll(kept)
}, 1_200_000)

it(`${CHUNKS} chunks of an upload that come to both servers in turn are sent once each`, async () => {
  const chunk = 256 * 1024
  const bytes = randomBytes(CHUNKS * chunk)
  const location = await openUpload(bytes.length)
  let resent = 0
  let id: string | null = null
  for (let offset = 0; id === null; ) {
    const answer = await append(cluster, location, offset, bytes.subarray(offset, offset + chunk))
    if (answer.status !== 204) resent += 1
    const heads = await Promise.all(
      cluster.servers.map((server) => at(server, location, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } })),
    )
    const offsets = heads.map((head) => Number(head.headers.get('upload-offset')))
    expect(offsets[0]).toBe(offsets[1])
    offset = offsets[0] ?? 0
    id = answer.headers.get('skypool-file-id')
  }
  console.info(JSON.stringify({ chunks: CHUNKS, resent }))
  expect(resent).toBe(0)
  await expectAll([{ id, sha256: sha256(bytes) }])
})

const HOLDER = `select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.classid = x'5b2f'::int4::oid and l.granted and a.datname = current_database()`
const JOB_HOLDER = `select s.id::text as name from graphile_worker.jobs j join servers s on s.worker = j.locked_by
  where j.task_identifier = 'purgeFiles'`

/** What stands still, and why. */
const STATE = `select (select jsonb_agg(to_jsonb(t) - 'why') from transfers t where state <> 'DONE') as transfers,
  (select jsonb_agg(to_jsonb(s)) from servers s) as servers, (select jsonb_agg(to_jsonb(j)) from graphile_worker.jobs j) as jobs,
  (select jsonb_agg(to_jsonb(a)) from accounts a where email = $1) as accounts, now()`

/** Of the server that runs the transfer. */
async function holder(query: string): Promise<string> {
  const ask = async () => (await cluster.database.pool.query<{ name: string }>(query)).rows[0]?.name
  return (await until(ask, (name) => name !== undefined, 60)) ?? ''
}

/** A job that stands still, because we hold what it waits for. @returns what lets it go on */
async function holdJob(): Promise<{ release(): Promise<void> }> {
  const stored = await expectStatus(201, ada.upload('Held.bin', randomBytes(1000), (await defaultPool()).id))
  const fileId = parsePublicId(stored.body.id)?.id ?? ''
  const client = await cluster.database.pool.connect()
  await client.query('begin')
  const { rows } = await client.query<{ userId: string }>(
    `update files set purged_at = now() where id = $1 returning user_id as "userId"`,
    [fileId],
  )
  await client.query('commit')
  await client.query('begin')
  await client.query('select from files where id = $1 for update', [fileId])
  await cluster.database.pool.query(`select graphile_worker.add_job('purgeFiles', $1::json)`, [
    JSON.stringify({ userId: rows[0]?.userId }),
  ])
  return {
    async release() {
      await client.query('rollback')
      client.release()
    },
  }
}

async function defaultPool(): Promise<{ id: string }> {
  const { items } = (await expectStatus(200, ada.request('GET', '/api/v1/group-clouds'))).body
  return items.find(({ isDefault }: { isDefault: boolean }) => isDefault) ?? items[0]
}

/** Not by the file: the database may still carry out the last statement of a server that is dead. */
const isJobDone = async () =>
  (await cluster.database.pool.query("select from graphile_worker.jobs where task_identifier = 'purgeFiles'"))
    .rowCount === 0

it(`killed or standing still, a server leaves its transfer and its job to the other one within a minute, ${KILLS} times`, async () => {
  const took: object[] = []
  for (let kill = 0; kill < KILLS; kill += 1) {
    providers.throttle('google', email, MIB)
    const bytes = randomBytes(24 * MIB)
    const { body } = await expectStatus(201, ada.upload(`Film ${kill}.bin`, bytes, poolId))
    const sender = cluster.serverOf(await holder(HOLDER))
    const job = await holdJob()
    const worker = cluster.serverOf(await holder(JOB_HOLDER))
    const victims = new Set([sender, worker])
    const freezes = KILLS > 1 ? kill % 4 === 3 : false
    for (const victim of victims) freezes ? victim.freeze() : await victim.kill()
    const since = performance.now()
    await job.release()
    providers.throttle('google', email, null)
    // With both gone, one comes back at once, as a supervisor would have it.
    if (victims.size === 2) await (freezes ? sender.thaw() : sender.start())
    const survivor = survivorOf(victims, sender)
    const seconds = async (isDone: () => Promise<boolean>) => {
      await until(isDone, Boolean, GOES_ON_SECONDS).catch(async (error: unknown) => {
        const { rows } = await cluster.database.pool.query(STATE, [email])
        throw new Error(
          `Kill ${kill}, ${victims.size} victims, ${freezes ? 'frozen' : 'killed'}: ${JSON.stringify(rows)}`,
          {
            cause: error,
          },
        )
      })
      return Math.round((performance.now() - since) / 1000)
    }
    const isStored = async () => {
      const answer: Answer['body'] = await (await at(survivor, `/api/v1/files/${body.id}`)).json()
      return answer.state === 'STORED'
    }
    const [transfer, done] = await Promise.all([seconds(isStored), seconds(isJobDone)])
    took.push({ transfer, job: done, victims: victims.size, freezes })
    for (const victim of victims) if (victim !== survivor) await (freezes ? victim.thaw() : victim.start())
    await until(
      async () => (await cluster.database.pool.query('select from servers')).rowCount,
      (rows) => rows === 2,
      60,
    )
    await expectAll([{ id: body.id, sha256: sha256(bytes) }])
  }
  console.info(JSON.stringify({ kills: KILLS, took }))
}, 3_600_000)

function survivorOf(victims: ReadonlySet<ServerProcess>, started: ServerProcess): ServerProcess {
  return cluster.servers.find((server) => !victims.has(server)) ?? started
}
