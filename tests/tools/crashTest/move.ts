import {
  type Kind,
  MIB,
  type Providers,
  type RemoteObject,
  startProviders,
} from '../../acceptance/support/emulators.ts'
import { expectStatus, type Person, register, until } from '../../acceptance/support/person.ts'
import { type ServerProcess, startProcess } from '../../acceptance/support/process.ts'
import type { Fault } from '../../fakes/core/faults.ts'
import { createRandom, type Random } from './random.ts'

// A folder is moved between two accounts while the server is killed and both accounts fail: at every moment it is whole in the
// account that it comes from, or whole in the one that it goes to.

export type Move = {
  readonly from: Kind
  readonly to: Kind
  /** Enough for several uploads in parts: at least 72. */
  readonly megabytes: number
  readonly kills: number
  /** Of each account. */
  readonly failures: number
  readonly seed: number
}

export type Moved = {
  /** What must not happen, each once. */
  readonly violations: readonly string[]
  readonly kills: number
  /** Calls of each account that failed as planned. */
  readonly failed: Readonly<Record<Kind, number>>
  /** How often both accounts were compared with what was moved. */
  readonly looks: number
  readonly seconds: number
  /** What the target received, with what was sent again. */
  readonly sentMegabytes: number
}

const FILES = 12
/** Files and folders. */
const ENTRIES = FILES + 3
const LOOK_EVERY_MS = 50
const INDEXED_WITHIN_S = 120
const STEP_WITHIN_MS = 900_000

const READ: Readonly<Record<Kind, string>> = { google: 'drive.files.download', dropbox: 'files/download' }
const WRITE: Readonly<Record<Kind, string>> = { google: 'drive.upload*', dropbox: 'files/upload*' }
const TRASH: Readonly<Record<Kind, string>> = { google: 'drive.files.update', dropbox: 'files/delete*' }

/** @throws Error when it cannot begin, or never ends */
export async function moveThroughKills(move: Move): Promise<Moved> {
  const startedAt = performance.now()
  const providers = await startProviders()
  const server = await startProcess(providers.url)
  try {
    const scene = await plant(move, providers, await register(server.url))
    const witness = createWitness(move, providers, scene)
    const kills = await moveAndKill(move, { providers, server, scene, witness })
    await judgeEnd(move, providers, scene, witness)
    return {
      violations: [...witness.violations],
      kills,
      failed: { google: failuresOf(providers, 'google'), dropbox: failuresOf(providers, 'dropbox') },
      looks: witness.looks(),
      seconds: Math.round((performance.now() - startedAt) / 1000),
      sentMegabytes: Math.round(providers.bytesTaken(scene.target.email) / MIB),
    }
  } finally {
    await server.close()
    await providers.close()
  }
}

type Account = { readonly email: string; readonly id: string }
type Scene = {
  readonly ada: Person
  readonly source: Account
  readonly target: Account
  readonly files: readonly { readonly path: string; readonly size: number }[]
  /** Each path with its hash, in their order. */
  readonly planted: readonly string[]
}

/** Two accounts, and the folder in one of them, which is shown. */
async function plant({ from, to, megabytes }: Move, providers: Providers, ada: Person): Promise<Scene> {
  const connect = async (kind: Kind): Promise<Account> => {
    const email = providers.addPerson(kind, (megabytes + 1_000) * 2 * MIB)
    const id = await ada.connect(kind, email)
    await expectStatus(200, ada.request('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' }))
    return { email, id }
  }
  const [source, target] = [await connect(from), await connect(to)]
  const files = Array.from({ length: FILES }, (_, number) => ({
    path: `/Films/${number % 2 ? 'Summer' : 'Winter'}/Film ${number}.bin`,
    size: Math.floor((megabytes * MIB) / FILES) + number,
  }))
  await providers.command(from, 'plantTree', { user: source.email, files })
  const planted = contentsOf(await objectsOf(providers, from, source))
  if (planted.length !== FILES) throw new Error('The folder was not planted.')
  await until(
    () => ada.account(source.id),
    ({ index }) => index.entries === ENTRIES && index.phase === 'LIVE',
    INDEXED_WITHIN_S,
  )
  return { ada, source, target, files, planted }
}

type Object = RemoteObject & { readonly trashed?: boolean }

const objectsOf = (providers: Providers, kind: Kind, { email }: Account) =>
  providers.command<Object[]>(kind, 'objects', { user: email })

/** Paths below the folder with the hashes of their contents, without what is in the trash. */
const contentsOf = (objects: readonly Object[]): string[] =>
  objects
    .filter(({ isFolder, trashed, path }) => !isFolder && !trashed && path.startsWith('/Films/'))
    .map(({ path, sha256 }) => `${path} ${sha256}`)
    .sort()

async function idOf(ada: Person, path: string): Promise<string> {
  const asked = () => ada.request('GET', `/api/v1/files/by-path?path=${encodeURIComponent(path)}`)
  return (await until(asked, ({ status }) => status === 200, INDEXED_WITHIN_S)).body.id
}

type Seen = { readonly source: readonly string[]; readonly target: readonly string[] }
type Witness = ReturnType<typeof createWitness>

/** Looks into both accounts, without the server. */
function createWitness({ from, to }: Move, providers: Providers, { source, target, planted }: Scene) {
  const violations = new Set<string>()
  let looks = 0
  const isWhole = (seen: readonly string[]) => seen.join() === planted.join()

  /** The source first: what is missing there has to be at the target already. */
  async function look(): Promise<Seen> {
    const seen = {
      source: contentsOf(await objectsOf(providers, from, source)),
      target: contentsOf(await objectsOf(providers, to, target)),
    }
    looks += 1
    if (!isWhole(seen.source) && !isWhole(seen.target))
      violations.add(`neither is whole: ${seen.source.length} files at the source, ${seen.target.length} at the target`)
    for (const file of seen.target)
      if (!planted.includes(file)) violations.add(`a part, or another content, is at the target: ${file}`)
    return seen
  }

  return {
    violations,
    looks: () => looks,
    look,
    isWhole,
    /** Looks again and again until then. */
    async until(isThen: (seen: Seen) => Promise<boolean> | boolean): Promise<void> {
      for (const limit = performance.now() + STEP_WITHIN_MS; !(await isThen(await look())); ) {
        if (performance.now() > limit) throw new Error('The move does not continue.')
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      }
    },
  }
}

type Moving = {
  readonly providers: Providers
  readonly server: ServerProcess
  readonly scene: Scene
  readonly witness: Witness
}

/** @returns how often the server was killed until the job ended */
async function moveAndKill(move: Move, { providers, server, scene, witness }: Moving): Promise<number> {
  const { ada, source, target } = scene
  const random = createRandom(move.seed)
  const ids = [await idOf(ada, `/${source.email}/Films`)]
  const parentId = await idOf(ada, `/${target.email}`)
  for (const fault of planFailures(move, scene, random)) providers.plan(fault)
  const { body } = await expectStatus(202, ada.request('POST', '/api/v1/files/move', { ids, parentId }))

  // A mistake costs the most around the end: once everything is at the target, while the trash is asked, and after it was.
  providers.plan({ kind: 'delay', ms: 1_000, service: move.from, user: source.email, operation: TRASH[move.from] })
  const atTheEnd = [
    ({ target }: Seen) => witness.isWhole(target),
    () => providers.planned().every(({ kind }) => kind !== 'delay'),
    ({ source }: Seen) => source.length === 0,
  ]
  const early = Math.max(move.kills - atTheEnd.length, 0)
  const moments = [
    ...sharesOf(early, random).map((share) => {
      const bytes = share * move.megabytes * MIB
      return () => providers.bytesTaken(target.email) >= bytes
    }),
    ...atTheEnd.slice(0, move.kills - early),
  ]
  for (const isThen of moments) {
    await witness.until(isThen)
    await server.kill()
    await witness.look()
    await server.start()
  }
  const job = async () => (await expectStatus(200, ada.request('GET', `/api/v1/jobs/${body.id}`))).body
  await witness.until(async () => (await job()).endedAt !== null)
  const { state, total, done, failed, items } = await job()
  const ended = JSON.stringify({ state, total, done, failed, items })
  if (ended !== JSON.stringify({ state: 'DONE', total: ENTRIES, done: ENTRIES, failed: 0, items: [] }))
    witness.violations.add(`the job ended otherwise: ${ended}`)
  return moments.length
}

/** When to kill: shares of what is sent, in their order. */
function sharesOf(count: number, random: Random): number[] {
  return Array.from({ length: count }, () => random.next() * 0.9).sort((a, b) => a - b)
}

const READ_FAILURES: readonly Partial<Fault>[] = [
  { kind: 'serverError' },
  { kind: 'cutDown', bytes: 100_000 },
  { kind: 'lostReply' },
  { kind: 'reset' },
  { kind: 'rateLimit', retryAfter: 1 },
]
const WRITE_FAILURES: readonly Partial<Fault>[] = [
  { kind: 'serverError' },
  { kind: 'lostReply' },
  { kind: 'cutUp', bytes: 100_000 },
  { kind: 'reset' },
  { kind: 'rateLimit', retryAfter: 1 },
]

/** Errors, broken connections and lost answers, while files are read and stored; the answer to the trash is lost too. */
function planFailures({ from, to, failures }: Move, { source, target }: Scene, random: Random): Fault[] {
  const plan = (service: Kind, user: string, operation: string, failure: Partial<Fault> = {}): Fault => ({
    kind: 'serverError',
    ...failure,
    ...(failure.kind === 'lostReply' && service === from
      ? { operation: TRASH[from] }
      : { operation, after: random.between(0, FILES / 2) }),
    service,
    user,
  })
  return Array.from({ length: failures }, (_, index) => [
    plan(from, source.email, READ[from], READ_FAILURES[index % READ_FAILURES.length]),
    plan(to, target.email, WRITE[to], WRITE_FAILURES[index % WRITE_FAILURES.length]),
  ]).flat()
}

function failuresOf(providers: Providers, kind: Kind): number {
  const isFailure = (fault: string) => fault !== 'delay'
  return providers.log().filter(({ service, faults }) => service === kind && faults.some(isFailure)).length
}

/** Everything is at the target, nothing else is, and it is read as it was. */
async function judgeEnd(move: Move, providers: Providers, scene: Scene, witness: Witness): Promise<void> {
  const { ada, target, files, planted } = scene
  const { violations } = witness
  const end = await witness.look()
  if (!witness.isWhole(end.target)) violations.add('in the end not everything is at the target')
  if (end.source.length > 0) violations.add('in the end something is still at the source')
  const { length } = await objectsOf(providers, move.to, target)
  if (length !== ENTRIES) violations.add(`in the end ${length} objects are at the target`)
  const left = providers.planned()
  if (left.length > 0) violations.add(`failures that did not happen: ${left.map(({ kind }) => kind).join()}`)
  for (const { path, size } of files) {
    const read = await ada.read(await idOf(ada, `/${target.email}${path}`))
    if (read.size !== size || !planted.includes(`${path} ${read.sha256}`)) violations.add(`${path} has other bytes`)
  }
}
