import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

const MIB = 1024 * 1024
const QUOTA = 1024 * MIB

/** One round of a walk: what is done before `go` is not measured. */
export type Prepare = () => Promise<{ readonly go: () => Promise<void> }>

export type Walk = {
  readonly name: string
  /** Where the server's own code begins to do it. */
  readonly entries: readonly string[]
  readonly prepare: Prepare
}

export type World = {
  readonly walks: readonly Walk[]
  /** Two plain reads: what they have in common serves every authenticated request. */
  readonly reads: readonly Prepare[]
  close(): Promise<void>
}

/** Runs a server in this process with an emulated Google Drive. */
export async function openWorld(): Promise<World> {
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
  return {
    walks: [
      {
        name: 'a tus PATCH to its 204',
        entries: ['server/rest/v1/uploads.ts'],
        prepare: () => patch(ada, local),
      },
      {
        name: 'a download',
        entries: ['server/rest/v1/filesDownload.ts'],
        prepare: () => download(ada, local),
      },
      {
        name: 'a transfer to the bytes at Google Drive',
        // The job wakes the dispatcher, which also starts transfers by itself.
        entries: ['server/jobs/tasks/runTransfer.ts', 'server/domain/transfers/engine.ts'],
        prepare: () => transfer(ada, remote, isStored),
      },
      {
        name: 'a file put into the trash by GraphQL',
        entries: ['server/graphql/mutations/manyFiles.ts'],
        prepare: () => trash(ada, local),
      },
    ],
    reads: ['/api/v1/auth/me', '/api/v1/changes'].map((path) => async () => read(ada, path)),
    async close() {
      await server.close()
      await providers.close()
      await database.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

type Round = Awaited<ReturnType<Prepare>>

function read(ada: Person, path: string): Round {
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
async function patch(ada: Person, groupCloudId: string): Promise<Round> {
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

async function download(ada: Person, groupCloudId: string): Promise<Round> {
  const id = await stored(ada, groupCloudId)
  return { go: async () => void (await (await ada.download(id)).arrayBuffer()) }
}

/** From the response to the upload until its bytes are verified at the provider. */
async function transfer(ada: Person, groupCloudId: string, isStored: () => Promise<boolean>): Promise<Round> {
  await stored(ada, groupCloudId)
  return {
    async go() {
      while (!(await isStored())) await sleep(20)
    },
  }
}

async function trash(ada: Person, groupCloudId: string): Promise<Round> {
  const ids = [await stored(ada, groupCloudId)]
  const query = 'mutation ($ids: [ID!]!) { trashFiles(input: { ids: $ids }) { __typename } }'
  return {
    go: async () => void (await expectStatus(200, ada.request('POST', '/graphql', { query, variables: { ids } }))),
  }
}
