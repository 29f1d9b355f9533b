import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { publicId } from '../../server/lib/ids.ts'
import type { Change, Driver, EntryRef } from '../../server/providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../server/providers/errors.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

// Most of an account seems to be gone at once, for any reason: nothing of it vanishes before its user has decided.

type Service = 'google' | 'dropbox'
/** What the account answers instead; the rest as it is. */
type Answers = (driver: Driver) => Partial<Driver>

const google = createGoogle()
const dropbox = createDropbox()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: Browser
let answers: Answers | null = null
/** Of the account that answers so. */
let spoiltId = ''
/** How often its feed was read while it answered as it is. */
let trueReads = 0
let people = 0

const patient = { timeout: 120_000, interval: 100 }
const FILES = 105
const FOLDER = 'application/vnd.google-apps.folder'

/** A driver that answers as `answers` says at the time of the call. */
const spoilt = (driver: Driver, accountId: string): Driver =>
  new Proxy(driver, {
    get: (object, key) => {
      const isSpoilt = publicId('Account', accountId) === spoiltId
      const other = isSpoilt ? answers?.(driver)[key as keyof Driver] : undefined
      if (isSpoilt && key === 'changes' && !other && driver.changes) {
        return (...given: Parameters<NonNullable<Driver['changes']>>) => {
          trueReads += 1
          return driver.changes?.(...given)
        }
      }
      return other ?? Reflect.get(object, key, object)
    },
  })

beforeAll(async () => {
  emulators = await startEmulators({ services: [google, dropbox] })
  const providers = {
    GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
    GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
    GOOGLE_SCOPE: 'drive',
    DROPBOX_CLIENT_ID: DROPBOX_CLIENT.id,
    DROPBOX_CLIENT_SECRET: DROPBOX_CLIENT.secret,
  }
  const open: typeof openProviders = (deps) => {
    const real = openProviders(deps)
    return { ...real, open: (account) => spoilt(real.open(account), account.id) }
  }
  server = await startTestServer(
    { providers, providerEmulatorUrl: new URL(emulators.url) },
    { openProviders: open, feedEveryMs: 200 },
  )
})
beforeEach(async () => {
  answers = null
  browser = createBrowser(server.url, (await createUser(server.services.users)).token)
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

type Index = { readonly phase: string; readonly entries: number; readonly heldDeletions: number }
type Held = { readonly service: Service; readonly user: string; readonly id: string; readonly root: string }

/** A connected account with a folder of many files, and one beside it, once all of it is shown. */
async function holder(service: Service): Promise<Held> {
  people += 1
  const user = `holder-${people}@example.com`
  const { commands } = service === 'google' ? google : dropbox
  commands.addUser({ email: user, name: 'Holder', quotaBytes: 10 ** 9 })
  if (service === 'google') {
    const parent = (await google.commands.plant({ user, name: 'Work', mimeType: FOLDER })).id
    await google.commands.plant({ user, name: 'page.txt', text: 'page', count: FILES, ...(parent && { parent }) })
    await google.commands.plant({ user, name: 'kept.txt', text: 'kept' })
  } else {
    await dropbox.commands.plant({ user, path: '/Work/page', text: 'page', count: FILES })
    await dropbox.commands.plant({ user, path: '/kept.txt', text: 'kept' })
  }
  const json = async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never
  const id = await connect({ json }, service, 'Attic', user)
  spoiltId = id
  const { body } = await browser.request('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' })
  const held = { service, user, id, root: body.rootFileId }
  await indexed(held, { phase: 'LIVE', entries: FILES + 2, heldDeletions: 0 })
  return held
}

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body

async function indexed({ id }: Held, expected: Partial<Index>): Promise<void> {
  await vi.waitFor(async () => {
    const { items } = await get('/accounts')
    expect(items.find((account: { id: string }) => account.id === id).index).toMatchObject(expected)
  }, patient)
}

/** Ids and stars of everything that is shown of the account. */
async function shown({ id }: Held): Promise<string[]> {
  const { items } = await get(`/files?view=all&limit=200&accountId=${id}`)
  return items.map((item: { id: string; starred: boolean }) => `${item.id} ${item.starred}`).sort()
}

async function starOne({ id }: Held): Promise<string> {
  const { items } = await get(`/files?view=all&limit=200&accountId=${id}`)
  const file = items.find(({ kind }: { kind: string }) => kind === 'FILE')
  await browser.request('PATCH', `/api/v1/files/${file.id}`, { starred: true })
  return file.id
}

async function decide({ id }: Held, accept: boolean): Promise<number> {
  return (await browser.request('POST', `/api/v1/accounts/${id}/index/deletions`, { accept })).status
}

/** The account answers as it is, and nothing that it said before is still being recorded: its feed is read once at a time. */
async function answerTruly(): Promise<void> {
  answers = null
  const before = trueReads
  await vi.waitFor(() => expect(trueReads).toBeGreaterThan(before + 1), patient)
}

const failing = (code: ProviderErrorCode) => async (): Promise<never> => {
  throw new ProviderError(code, { provider: 'google', operation: 'test' }, { message: 'It is not there.' })
}

/** The feed starts again, and listings are empty. */
function empty(): Answers {
  let isReset = false
  return (driver) => ({
    async changes(...[call, cursor, roots]: Parameters<NonNullable<Driver['changes']>>) {
      if (cursor !== null && !isReset) {
        isReset = true
        return failing('CursorReset')()
      }
      const page = await driver.changes?.(call, cursor, roots)
      if (!page) throw new Error('There is no feed.')
      return page
    },
    listAll: async () => ({ items: [], cursor: null }),
  })
}

/** Nothing can be seen any more, not even what is asked about. */
function forbidden(): Answers {
  const hidden = empty()
  return (driver) => ({
    ...hidden(driver),
    stat: (call, ref) => (ref === driver.root ? driver.stat(call, ref) : failing('NotFound')()),
    list: failing('NotFound'),
  })
}

/** Everything is reported as deleted, and its root cannot be found. */
function withoutRoot(refs: readonly EntryRef[]): Answers {
  const changes = refs.map((ref): Change => ({ ref, entry: null }))
  return (driver) => ({
    async changes(...[call, cursor, roots]: Parameters<NonNullable<Driver['changes']>>) {
      const page = await driver.changes?.(call, cursor, roots)
      if (!page) throw new Error('There is no feed.')
      return { ...page, changes }
    },
    stat: failing('NotFound'),
    list: failing('NotFound'),
    listAll: failing('NotFound'),
  })
}

async function refsOf({ id }: Held): Promise<EntryRef[]> {
  const { rows } = await server.pool.query<{ ref: EntryRef }>(
    `select e.ref from account_entries e where 'acct_' || replace(e.account_id::text, '-', '') = $1`,
    [id],
  )
  return rows.map(({ ref }) => ref)
}

const CAUSES: readonly (readonly [string, (held: Held) => Promise<Answers>])[] = [
  ['its permission is lost', async () => forbidden()],
  ['its root is deleted', async (held) => withoutRoot(await refsOf(held))],
  ['its answers are empty', async () => empty()],
]

async function removeWork({ service, user }: Held): Promise<void> {
  if (service === 'dropbox') return dropbox.commands.remove({ user, path: '/Work' })
  const work = (await google.commands.objects({ user })).find(({ name }) => name === 'Work')
  await google.commands.remove({ id: work?.id ?? '' })
}

describe.each(['google', 'dropbox'] as const)('%s', (service) => {
  it.each(CAUSES)(
    'shows everything as before when %s, and nothing happens until the user decides',
    async (_what, of) => {
      const held = await holder(service)
      const file = await starOne(held)
      const before = await shown(held)
      expect(before).toContain(`${file} true`)

      answers = await of(held)
      await indexed(held, { phase: 'HELD', heldDeletions: FILES + 2 })
      expect(await shown(held)).toEqual(before)
      // The user is right: it was a mistake, and the account is as it was.
      await answerTruly()
      expect(await decide(held, false)).toBe(204)
      await indexed(held, { phase: 'LIVE', entries: FILES + 2, heldDeletions: 0 })
      expect(await shown(held)).toEqual(before)
      expect(await decide(held, true)).toBe(409)
    },
  )

  it('holds what is gone until the user says that it is, also after another look', async () => {
    const held = await holder(service)
    const before = await shown(held)
    await removeWork(held)
    const gone = { phase: 'HELD', heldDeletions: FILES + 1 }
    await indexed(held, gone)
    expect(await shown(held)).toEqual(before)
    expect(await decide(held, false)).toBe(204)
    await indexed(held, gone)
    expect(await shown(held)).toEqual(before)
    expect(await decide(held, true)).toBe(204)
    await indexed(held, { phase: 'LIVE', entries: 1, heldDeletions: 0 })
    expect((await get(`/files?parentId=${held.root}`)).items.map(({ name }: { name: string }) => name)).toEqual([
      'kept.txt',
    ])
    expect(await decide(held, true)).toBe(409)
  })

  it('shows everything again, with its ids and stars, when it returns after the user said that it is gone', async () => {
    const held = await holder(service)
    const file = await starOne(held)
    const before = await shown(held)
    expect(before).toContain(`${file} true`)
    answers = forbidden()
    await indexed(held, { phase: 'HELD', heldDeletions: FILES + 2 })
    expect(await decide(held, true)).toBe(204)
    await indexed(held, { phase: 'LIVE', entries: 0, heldDeletions: 0 })
    // The folder of the account itself.
    expect(await shown(held)).toHaveLength(1)
    await answerTruly()
    expect((await browser.request('POST', `/api/v1/accounts/${held.id}/index/refresh`)).status).toBe(202)
    await indexed(held, { phase: 'LIVE', entries: FILES + 2, heldDeletions: 0 })
    expect(await shown(held)).toEqual(before)
  })
})

it('decides the same by GraphQL', async () => {
  const held = await holder('google')
  const before = await shown(held)
  answers = forbidden()
  await indexed(held, { phase: 'HELD' })
  const query = `mutation ($id: ID!, $accept: Boolean!) { decideAccountDeletions(input: { id: $id, accept: $accept }) {
    ... on DecideAccountDeletionsPayload { account { index { heldDeletions } } } ... on Error { message } } }`
  const ask = async (accept: boolean) =>
    (await browser.request('POST', '/graphql', { query, variables: { id: held.id, accept } })).body.data
      .decideAccountDeletions
  await answerTruly()
  expect(await ask(false)).toEqual({ account: { index: { heldDeletions: 0 } } })
  await indexed(held, { phase: 'LIVE', entries: FILES + 2 })
  expect(await shown(held)).toEqual(before)
  expect((await ask(true)).message).toBe('Nothing of this account waits for a decision.')
})
