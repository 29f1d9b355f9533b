import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openProviders } from '../../../server/compose.ts'
import { startEmbeddedPostgres } from '../../../server/db/embedded/embeddedPostgres.ts'
import { readMigrations } from '../../../server/db/migrate.ts'
import { readConfig } from '../../../server/env.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { serve } from '../../../server/serve.ts'
import { startProviders } from '../../acceptance/support/emulators.ts'
import { expectStatus, type Person, register } from '../../acceptance/support/person.ts'
import { DROPBOX_CLIENT } from '../../fakes/dropbox/dropbox.ts'
import { GOOGLE_CLIENT } from '../../fakes/google/google.ts'
import { type Coverage, startCoverage } from './coverage.ts'
import { columns, shapeOf } from './tables.ts'

/**
 * `npm run shape`: size and depth of the code, and how many files of the server take part in an upload, a download, a transfer and
 * a change. `--list` names the files. A file counts when one of its named functions is called in each of several rounds, which
 * excludes background work. "beyond" leaves out the files that serve every authenticated request: those common to two plain reads.
 */
const { values } = parseArgs({ options: { list: { type: 'boolean', default: false } } })
const FOLDERS = ['server', 'server/domain', 'server/scripts', 'web', 'web/screens/Files', 'tests/tools']
const ROUNDS = 3
const MIB = 1024 * 1024
const QUOTA = 1024 * MIB

const head = ['folder', 'files', 'lines', 'median', 'p90', 'longest file', 'longest function', 'depth']
const shapes = FOLDERS.map((folder) => Object.values(shapeOf(folder)))
console.log(columns([head, ...shapes]))

const { every, walks } = await walkAll()
const rows = [...walks].map(([name, files]) => {
  const beyond = files.filter((file) => !every.includes(file))
  return [name, files.length, files.filter(isOfDomain).length, beyond.length]
})
const everyRow = ['every authenticated request', every.length, every.filter(isOfDomain).length, 0]
console.log(`\n${columns([['files that take part in', 'server', 'domain', 'beyond'], everyRow, ...rows])}`)
if (values.list) {
  console.log(`\nevery authenticated request\n  ${every.join('\n  ')}`)
  for (const [name, files] of walks) console.log(`\n${name}\n  ${files.map((file) => marked(file)).join('\n  ')}`)
}
process.exit(0)

/** Files that serve every authenticated request are in parentheses. */
function marked(path: string): string {
  return every.includes(path) ? `(${path})` : path
}

function isOfDomain(path: string): boolean {
  return path.startsWith('server/domain/')
}

/** Runs a server in this process with an emulated Google Drive. Files are sorted by path. */
async function walkAll(): Promise<Walks> {
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-shape-'))
  chmodSync(dataDir, 0o755)
  const database = await startEmbeddedPostgres({ dataDir })
  const providers = await startProviders()
  const [google, dropbox] = [GOOGLE_CLIENT, DROPBOX_CLIENT]
  const server = await serve({
    config: {
      ...readConfig({ PORT: '0' }),
      dataDir,
      providers: {
        GOOGLE_CLIENT_ID: google.id,
        GOOGLE_CLIENT_SECRET: google.secret,
        GOOGLE_SCOPE: 'drive',
        DROPBOX_CLIENT_ID: dropbox.id,
        DROPBOX_CLIENT_SECRET: dropbox.secret,
      },
      providerEmulatorUrl: new URL(providers.url),
    },
    database: database.connection,
    migrations: readMigrations('prisma/migrations'),
    logger: createLogger('silent'),
    version: 'shape',
    persisted: JSON.parse(readFileSync('web/__generated__/persisted.json', 'utf8')) as Record<string, string>,
    webDirectory: null,
    openProviders,
  })
  const ada = await register(server.url)
  const accountId = await ada.connect('google', providers.addPerson('google', QUOTA))
  const local = (await expectStatus(200, ada.request('GET', '/api/v1/group-clouds'))).body.items[0].id as string
  const remote = await ada.pool([accountId])
  const isStored = async () => (await server.pool.query(`select from transfers where state <> 'DONE'`)).rowCount === 0
  const coverage = await startCoverage()
  const [profile, changes] = [
    await commonOf(coverage, async () => read(ada, '/api/v1/auth/me')),
    await commonOf(coverage, async () => read(ada, '/api/v1/changes')),
  ]
  const every = profile.filter((file) => changes.includes(file))
  const walks = new Map([
    ['a tus PATCH to its 204', await commonOf(coverage, () => patch(ada, local))],
    ['a download', await commonOf(coverage, () => download(ada, local))],
    ['a transfer to the bytes at Google Drive', await commonOf(coverage, () => transfer(ada, remote, isStored))],
    ['a file put into the trash by GraphQL', await commonOf(coverage, () => trash(ada, local))],
  ])
  await server.close()
  await providers.close()
  await database.stop()
  rmSync(dataDir, { recursive: true, force: true })
  return { every, walks }
}

type Walks = { readonly every: readonly string[]; readonly walks: ReadonlyMap<string, readonly string[]> }
type Walk = { readonly go: () => Promise<void> }

/** The files called in every round. `prepare` is not measured. */
async function commonOf(coverage: Coverage, prepare: () => Promise<Walk>): Promise<string[]> {
  let common: string[] | null = null
  for (let round = 0; round < ROUNDS; round += 1) {
    const { go } = await prepare()
    const files = await coverage.filesOf(go)
    common = common === null ? [...files].sort() : common.filter((file) => files.has(file))
  }
  return common ?? []
}

function read(ada: Person, path: string): Walk {
  return { go: async () => void (await expectStatus(200, ada.request('GET', path))) }
}

function name(): string {
  return `${crypto.randomUUID()}.txt`
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

async function stored(ada: Person, groupCloudId: string): Promise<string> {
  return (await expectStatus(201, ada.upload(name(), Buffer.from('Text'), groupCloudId))).body.id
}

/** The last bytes of a file whose upload was created before. */
async function patch(ada: Person, groupCloudId: string): Promise<Walk> {
  const bytes = new Uint8Array(Buffer.alloc(MIB, 'text '))
  const metadata = `filename ${base64(name())},groupCloudId ${base64(groupCloudId)}`
  const tus = { 'tus-resumable': '1.0.0' }
  const created = { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': metadata }
  const { headers } = await expectStatus(201, ada.request('POST', '/api/v1/uploads', undefined, created))
  const sent = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  return {
    go: async () => void (await expectStatus(204, ada.request('PATCH', headers.get('location') ?? '', bytes, sent))),
  }
}

async function download(ada: Person, groupCloudId: string): Promise<Walk> {
  const id = await stored(ada, groupCloudId)
  return { go: async () => void (await (await ada.download(id)).arrayBuffer()) }
}

/** From the response to the upload until its bytes are verified at the provider. */
async function transfer(ada: Person, groupCloudId: string, isStored: () => Promise<boolean>): Promise<Walk> {
  await stored(ada, groupCloudId)
  return {
    async go() {
      while (!(await isStored())) await sleep(20)
    },
  }
}

async function trash(ada: Person, groupCloudId: string): Promise<Walk> {
  const ids = [await stored(ada, groupCloudId)]
  const query = 'mutation ($ids: [ID!]!) { trashFiles(input: { ids: $ids }) { __typename } }'
  return {
    go: async () => void (await expectStatus(200, ada.request('POST', '/graphql', { query, variables: { ids } }))),
  }
}
