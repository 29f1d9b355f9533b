import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Kind, MIB, type Providers, type RemoteObject, startProviders } from './support/emulators.ts'
import { expectStatus, type Person, register, until } from './support/person.ts'
import { type ServerProcess, startProcess } from './support/process.ts'

/** How often the server is killed while uploaded files are on their way into an account; more by KILLS=20. */
const KILLS = Number(process.env.KILLS ?? 3)
const FILES = 8
/** Of each operation of the account. */
const FAILURES = 4
const TIMEOUT_MS = 180_000 + KILLS * 30_000

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

type Object = RemoteObject & { readonly trashed?: boolean }

async function held(kind: Kind, email: string): Promise<string[]> {
  const objects = await providers.command<Object[]>(kind, 'objects', { user: email })
  const files = objects.filter(({ isFolder, trashed, path }) => !isFolder && !trashed && !path.startsWith('/Skypool/'))
  return files.map(({ path, sha256 }) => `${path} ${sha256}`).sort()
}

async function shown(): Promise<{ name: string; state: string; sha256: string }[]> {
  const { body } = await expectStatus(200, ada.request('GET', '/api/v1/files?view=all&home=account&limit=200'))
  return body.items.filter(({ kind }: { kind: string }) => kind === 'FILE')
}

it.each(['google', 'dropbox'] as const)(
  `what was uploaded into a folder of %s is there once, whatever happens in between`,
  async (kind) => {
    const email = providers.addPerson(kind, 10_000 * MIB)
    const account = await ada.connect(kind, email)
    const { body } = await expectStatus(
      200,
      ada.request('PATCH', `/api/v1/accounts/${account}`, { scope: 'EVERYTHING' }),
    )
    const before = (await shown()).length
    const operations = kind === 'google' ? ['drive.files.create', 'drive.upload*'] : ['files/upload*']
    for (const operation of operations) {
      const plan = { count: FAILURES, service: kind, operation, user: email }
      providers.plan({ ...plan, after: 1, kind: 'serverError' })
      providers.plan({ ...plan, after: 3, kind: 'lostReply' })
    }
    const sent: string[] = []
    for (let number = 0; number < FILES; number += 1) {
      const bytes = randomBytes(number % 2 ? 6 * MIB : 100_000)
      const name = `File ${number}.bin`
      const form = new FormData()
      form.append('parentId', body.rootFileId)
      form.append('path', `Uploads/${name}`)
      form.append('file', new Blob([bytes]), name)
      await expectStatus(201, ada.request('POST', '/api/v1/files', form))
      sent.push(`/Uploads/${name} ${createHash('sha256').update(bytes).digest('hex')}`)
      // Each of them is acknowledged, so it can be listed from now on, also after a kill.
      if (number % Math.ceil(FILES / KILLS) === 0) {
        await server.killAndStart()
        expect((await shown()).length - before).toBe(number + 1)
      }
    }
    await until(shown, (files) => files.every(({ state }) => state === 'STORED'), 600)
    expect((await shown()).length - before).toBe(FILES)
    expect(await held(kind, email)).toEqual(sent.sort())
  },
  TIMEOUT_MS,
)
