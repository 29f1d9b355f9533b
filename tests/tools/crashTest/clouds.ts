import { makeBucket, openDriver, storeText } from '../../conformance/amazonS3Harness.ts'
import type { ServiceFault } from '../../conformance/harness.ts'
import type { Fault, FaultKind } from '../../fakes/core/faults.ts'
import type { Call } from '../../fakes/core/log.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createDropbox } from '../../fakes/dropbox/dropbox.ts'
import { createGoogle } from '../../fakes/google/google.ts'
import { createNextcloud, NEXTCLOUD_HOST } from '../../fakes/nextcloud/nextcloud.ts'
import { createOneDrive, ONEDRIVE_CLIENT } from '../../fakes/onedrive/onedrive.ts'
import { createPcloud, PCLOUD_CLIENT } from '../../fakes/pcloud/pcloud.ts'
import { startS3Emulator } from '../../fakes/s3/emulator.ts'
import { startFaultProxy } from '../../fakes/s3/faultProxy.ts'
import { type S3Server, startSwift, whyNoSwift } from '../../fakes/s3/swift.ts'
import type { Browser } from '../../setup/browser.ts'
import { allow } from '../demo/skypool.ts'
import { pick, type Random } from './random.ts'

// Accounts of six services with all that goes wrong there.

export type Cloud = {
  readonly name: string
  /** @returns the account's id */
  connect(browser: Browser): Promise<string>
  reconnect(browser: Browser, id: string): Promise<void>
  /** Something goes wrong once, in one of the next calls. @returns what */
  fail(random: Random): string
  /** Lasts until `repair`. */
  readonly lasting: Readonly<Partial<Record<'full' | 'revoked', () => Promise<unknown> | unknown>>>
  /** Also removes what is planned and has not happened. A login that was revoked has to be connected again. */
  repair(): Promise<void>
  /** Contents that the account holds, with uploads that were not ended. */
  contents(): Promise<readonly Held[]>
}

export type Held = {
  readonly path: string
  /** The provider's, where it is not the path. */
  readonly id?: string
  /** The provider has made it in addition to what was sent, with an id that is in no answer: no process can know it. */
  readonly madeTwice: boolean
}

export type Clouds = {
  readonly all: readonly Cloud[]
  /** Of the emulators, for the server. */
  readonly url: string
  /** For the server. */
  readonly settings: Readonly<Record<string, string>>
  /** How often each kind of fault happened. */
  faults(): Readonly<Record<string, number>>
  /** Of the emulators, in the order of time. */
  calls(): readonly Call[]
  /** Mistakes of the emulators themselves. */
  bugs(): readonly string[]
  close(): Promise<void>
}

const QUOTA = 1024 ** 3
const EMAIL = 'ada@example.com'
const PASSWORD = 'app-password'

/** The names of operations that store contents, and read them. */
type Operations = { readonly store: readonly string[]; readonly read: string; readonly more?: readonly FaultKind[] }
const OAUTH: Readonly<Record<string, Operations & { readonly path: string }>> = {
  google: {
    path: 'google-accounts',
    store: ['drive.files.create', 'drive.upload.chunk'],
    read: 'drive.files.download',
    more: ['staleList', 'duplicate', 'wrongObject'],
  },
  dropbox: {
    path: 'dropbox-accounts',
    store: ['files/upload', 'files/upload_session*'],
    read: 'files/download',
    more: ['staleList', 'wrongObject'],
  },
  onedrive: {
    path: 'onedrive-accounts',
    store: ['items.content.put', 'upload.put'],
    read: 'download',
    more: ['wrongObject'],
  },
  pcloud: { path: 'pcloud-accounts', store: ['uploadfile', 'upload_write', 'upload_save'], read: 'download' },
}
const NEXTCLOUD: Operations = { store: ['uploads.PUT', 'files.PUT', 'files.MOVE', 'uploads.MOVE'], read: 'files.GET' }

/** Google Drive, Dropbox, OneDrive, pCloud, Nextcloud, and the S3 API of Swift, or an emulated one where that is not installed. */
export async function startClouds(): Promise<Clouds> {
  const nextcloud = createNextcloud()
  const oauth = [createGoogle(), createDropbox(), createOneDrive(), createPcloud()]
  const store = await (whyNoSwift() === null ? startSwift() : startS3Emulator())
  const emulators = await startEmulators({ services: [...oauth, nextcloud] })
  const command = createCommand(emulators.url)
  for (const { name } of oauth) await command(name, 'addUser', { email: EMAIL, name: 'Ada', quotaBytes: QUOTA })
  nextcloud.commands.addUser({ id: 'ada', appPassword: PASSWORD, quotaBytes: QUOTA })
  const s3 = await s3Cloud(store)
  const all = [
    ...oauth.map(({ name }) => oauthCloud(name, emulators, command)),
    nextcloudCloud(emulators, command),
    s3.cloud,
  ]
  return {
    all,
    url: emulators.url,
    settings: {
      ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      ONEDRIVE_CLIENT_ID: ONEDRIVE_CLIENT.id,
      ONEDRIVE_CLIENT_SECRET: ONEDRIVE_CLIENT.secret,
      PCLOUD_CLIENT_ID: PCLOUD_CLIENT.id,
      PCLOUD_CLIENT_SECRET: PCLOUD_CLIENT.secret,
    },
    faults() {
      const counts: Record<string, number> = { ...s3.happened }
      for (const kind of emulators.log().flatMap((call) => call.faults)) counts[kind] = (counts[kind] ?? 0) + 1
      return counts
    },
    calls: emulators.log,
    // A server that is killed aborts its requests.
    bugs: () => emulators.log().flatMap(({ bug }) => (bug && !bug.startsWith('Error: aborted') ? bug : [])),
    async close() {
      await emulators.close()
      await s3.close()
      await store.close()
    },
  }
}

type Command = <Result = unknown>(service: string, name: string, body: object) => Promise<Result>
type Listed = {
  readonly path: string
  readonly id?: string
  readonly isFolder?: boolean
  readonly type?: string
  readonly madeTwice?: boolean
}

function createCommand(url: string): Command {
  return async (service, name, body) => {
    const response = await fetch(`${url}/__control/${service}/${name}`, { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${service} ${name}: ${await response.text()}`)
    return (await response.json()) as never
  }
}

const contentsIn = (listed: readonly Listed[]): Held[] =>
  listed
    .filter(({ isFolder, type }) => !isFolder && type !== 'folder')
    .map(({ path, id, madeTwice = false }) => ({ path, madeTwice, ...(id !== undefined && { id }) }))

const EVERYWHERE: readonly Partial<Fault>[] = [
  { kind: 'rateLimit', retryAfter: 1 },
  { kind: 'serverError' },
  { kind: 'reset' },
  { kind: 'refuse' },
  { kind: 'expired' },
  { kind: 'html' },
  { kind: 'delay', ms: 400 },
]
const STORING: readonly Partial<Fault>[] = [
  { kind: 'lostReply' },
  { kind: 'lostReply' },
  { kind: 'cutUp', bytes: 700 },
  { kind: 'truncate', bytes: 7 },
  { kind: 'vanish' },
  { kind: 'full' },
  { kind: 'serverError' },
]
const READING: readonly Partial<Fault>[] = [
  { kind: 'cutDown', bytes: 500 },
  { kind: 'shortBody', bytes: 3 },
  { kind: 'flip' },
  { kind: 'ignoreRange' },
]

/** One fault of a service of the emulators. */
function planOne(
  emulators: Emulators,
  service: string,
  { store, read, more = [] }: Operations,
  random: Random,
): string {
  const special = more.map((kind): Partial<Fault> => ({ kind }))
  const groups = [
    EVERYWHERE,
    STORING.map((fault): Partial<Fault> => ({ ...fault, operation: pick(store, random) })),
    [...READING.map((fault): Partial<Fault> => ({ ...fault, operation: read })), ...special],
  ]
  const fault = pick(pick(groups, random), random)
  const kind = fault.kind ?? 'serverError'
  emulators.plan({ ...fault, kind, service, after: random.between(0, 3) })
  return kind
}

function oauthCloud(name: string, emulators: Emulators, command: Command): Cloud {
  const operations = OAUTH[name]
  if (!operations) throw new Error(`There is no emulated ${name}.`)
  const path = `/api/v1/${operations.path}`
  const ask = async (browser: Browser, id?: string) => {
    const { authorizationUrl, state } = await expecting(
      browser.request('GET', `${path}/init${id ? `?accountId=${id}` : ''}`),
    )
    return { code: await allow(authorizationUrl, EMAIL), state }
  }
  return {
    name,
    async connect(browser) {
      return (await expecting(browser.request('POST', `${path}/auth`, { ...(await ask(browser)), name }))).id
    },
    async reconnect(browser, id) {
      await expecting(browser.request('PUT', `${path}/${id}`, await ask(browser, id)))
    },
    fail(random) {
      const isForgotten = name !== 'pcloud' && random.next() < 0.1
      if (!isForgotten) return planOne(emulators, name, operations, random)
      void command(name, 'loseSessions', { user: EMAIL })
      return 'lostSessions'
    },
    lasting: {
      full: () => command(name, 'setQuota', { user: EMAIL, quotaBytes: 1 }),
      revoked: () => command(name, 'revokeUser', { user: EMAIL }),
    },
    repair: async () => void (await command(name, 'setQuota', { user: EMAIL, quotaBytes: QUOTA })),
    contents: async () => contentsIn(await command<Listed[]>(name, 'objects', { user: EMAIL })),
  }
}

function nextcloudCloud(emulators: Emulators, command: Command): Cloud {
  const name = 'nextcloud'
  const path = '/api/v1/webdav-accounts'
  const fields = { address: `${emulators.url}/@${NEXTCLOUD_HOST}`, user: 'ada', password: PASSWORD }
  const change = (what: string, values: object) => command(name, what, { id: 'ada', ...values })
  return {
    name,
    async connect(browser) {
      return (await expecting(browser.request('POST', `${path}/auth`, { name, fields }))).id
    },
    reconnect: async (browser, id) => void (await expecting(browser.request('PUT', `${path}/${id}`, { fields }))),
    fail: (random) => planOne(emulators, name, NEXTCLOUD, random),
    lasting: {
      full: () => change('setQuota', { quotaBytes: 1 }),
      revoked: () => change('setPassword', { appPassword: 'another' }),
    },
    async repair() {
      await change('setQuota', { quotaBytes: QUOTA })
      await change('setPassword', { appPassword: PASSWORD })
    },
    contents: async () => contentsIn((await change('objects', {})) as Listed[]),
  }
}

const S3_FAULTS: readonly ServiceFault[] = [
  { kind: 'rateLimit', retryAfterMs: 1000 },
  { kind: 'serverError' },
  { kind: 'reset' },
  { kind: 'cutUp', afterBytes: 700 },
  { kind: 'cutDown', afterBytes: 500 },
  { kind: 'shortBody', bytes: 100 },
  { kind: 'lostReply' },
  { kind: 'lostReply' },
  { kind: 'truncate', bytes: 7 },
  { kind: 'vanish' },
]

async function s3Cloud(store: S3Server) {
  const bucket = await makeBucket(store)
  const proxy = await startFaultProxy({
    target: store.endpoint,
    store: (path, bytes) => storeText(bucket, decodeURIComponent(path.slice(bucket.name.length + 2)), bytes),
  })
  const path = '/api/v1/amazon-s3-accounts'
  const happened: Record<string, number> = {}
  const { accessKey, secretKey } = store
  const fields = { service: 'other', endpoint: proxy.endpoint, bucket: bucket.name, accessKey, secretKey }
  const cloud: Cloud = {
    name: 's3',
    async connect(browser) {
      return (await expecting(browser.request('POST', `${path}/auth`, { name: 's3', fields }))).id
    },
    reconnect: async (browser, id) => void (await expecting(browser.request('PUT', `${path}/${id}`, { fields }))),
    fail(random) {
      const fault = pick(S3_FAULTS, random)
      proxy.plan(fault)
      happened[fault.kind] = (happened[fault.kind] ?? 0) + 1
      return fault.kind
    },
    lasting: { full: () => proxy.set('full'), revoked: () => proxy.set('refusesKeys') },
    repair: async () => proxy.reset(),
    async contents() {
      const driver = openDriver(bucket.credentials, { pageSize: 1000 })
      const found: Held[] = []
      let cursor: string | null = null
      do {
        const call = { signal: AbortSignal.timeout(60_000), requestId: 'judge' }
        const page: Awaited<ReturnType<NonNullable<typeof driver.listAll>>> | undefined = await driver.listAll?.(
          call,
          cursor,
        )
        const files = (page?.items ?? []).filter(({ kind }) => kind !== 'folder')
        found.push(...files.map(({ ref }) => ({ path: ref, madeTwice: false })))
        cursor = page?.cursor ?? null
      } while (cursor !== null)
      return found
    },
  }
  return { cloud, happened, close: proxy.close }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
async function expecting(asked: ReturnType<Browser['request']>): Promise<any> {
  const { status, body } = await asked
  if (status < 300) return body
  throw new Error(`Answered ${status}: ${JSON.stringify(body)}`)
}
