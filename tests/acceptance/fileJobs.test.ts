import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Kind, MIB, type Providers, type RemoteObject, startProviders } from './support/emulators.ts'
import { expectStatus, type Person, register, until } from './support/person.ts'
import { type ServerProcess, startProcess } from './support/process.ts'

/** How much is moved, and how often the server is killed meanwhile; more by MEGABYTES=3000 KILLS=20. */
const MEGABYTES = Number(process.env.MEGABYTES ?? 24)
const KILLS = Number(process.env.KILLS ?? 3)
const FILES = 12
/** Of each account. */
const FAILURES = 5

const TIMEOUT_MS = 120_000 + KILLS * 30_000 + MEGABYTES * 1_000

let providers: Providers
let server: ServerProcess
let ada: Person

beforeAll(async () => {
  providers = await startProviders()
  server = await startProcess(providers.url)
  ada = await register(server.url)
})
afterAll(async () => {
  await server?.close()
  await providers?.close()
})

/** An account of which everything is shown. */
async function connect(kind: Kind) {
  const email = providers.addPerson(kind, 10_000 * MIB)
  const id = await ada.connect(kind, email)
  await expectStatus(200, ada.request('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' }))
  return { kind, email, id }
}

type Object = RemoteObject & { readonly trashed?: boolean }
type Account = Awaited<ReturnType<typeof connect>>

async function filesOf({ kind, email }: Account): Promise<Object[]> {
  const objects = await providers.command<Object[]>(kind, 'objects', { user: email })
  return objects.filter(({ isFolder, trashed }) => !isFolder && !trashed)
}

/** Contents by path below the folder. */
const contents = (files: readonly Object[]) =>
  files.flatMap(({ path, sha256 }) => (path.startsWith('/Films/') ? [`${path} ${sha256}`] : [])).sort()

async function idOf(path: string): Promise<string> {
  const answer = await until(
    () => ada.request('GET', `/api/v1/files/by-path?path=${encodeURIComponent(path)}`),
    ({ status }) => status === 200,
    60,
  )
  return answer.body.id
}

it(
  `a folder moved from Google Drive to Dropbox survives ${KILLS} kills and failures of both, and is never half in neither`,
  async () => {
    const [from, to] = [await connect('google'), await connect('dropbox')]
    const size = Math.floor((MEGABYTES * MIB) / FILES)
    const files = Array.from({ length: FILES }, (_, number) => ({
      path: `/Films/${number % 2 ? 'Summer' : 'Winter'}/Film ${number}.bin`,
      size,
    }))
    await providers.command('google', 'plantTree', { user: from.email, files })
    const planted = contents(await filesOf(from))
    expect(planted).toHaveLength(FILES)
    await until(
      () => ada.account(from.id),
      ({ index }) => index.entries === FILES + 3 && index.phase === 'LIVE',
      90,
    )
    const [folder, root] = [await idOf(`/${from.email}/Films`), await idOf(`/${to.email}`)]
    const plan = { count: FAILURES, after: 2, kind: 'serverError' } as const
    providers.plan({ ...plan, service: 'google', operation: 'drive.files.get', user: from.email })
    providers.plan({ ...plan, service: 'dropbox', operation: 'files/upload*', user: to.email })
    const started = await expectStatus(
      202,
      ada.request('POST', '/api/v1/files/move', { ids: [folder], parentId: root }),
    )

    const job = async () => (await expectStatus(200, ada.request('GET', `/api/v1/jobs/${started.body.id}`))).body
    const isSafe = async () => {
      const [source, target] = [contents(await filesOf(from)), contents(await filesOf(to))]
      // Complete at the source, or complete at the target.
      if (source.length < FILES) expect(target).toEqual(planted)
      else expect(source).toEqual(planted)
    }
    let kills = 0
    for (let moved = 0; kills < KILLS; kills += 1) {
      const step = (FILES * size) / (2 * KILLS)
      const { state, doneBytes } = await until(
        job,
        (now) => now.doneBytes >= moved + step || now.state === 'DONE' || now.state === 'FAILED',
        300,
      )
      moved = doneBytes
      if (state === 'DONE') break
      await server.killAndStart()
      await isSafe()
    }
    expect(kills).toBeGreaterThanOrEqual(Math.min(KILLS, 2))
    const end = await until(job, ({ endedAt }) => endedAt !== null, 600)
    expect(end).toMatchObject({ state: 'DONE', total: FILES + 3, done: FILES + 3, failed: 0, items: [] })
    expect(contents(await filesOf(to))).toEqual(planted)
    expect(await filesOf(to)).toHaveLength(FILES)
    expect(await filesOf(from)).toEqual([])
    console.log(JSON.stringify({ megabytes: MEGABYTES, kills, files: FILES }))
  },
  TIMEOUT_MS,
)
