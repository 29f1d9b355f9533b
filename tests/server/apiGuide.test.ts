import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../server/lib/ids.ts'
import type { Driver } from '../../server/providers/driver.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { createMemoryCloud } from '../fakes/memory/cloud.ts'
import { memoryModule } from '../fakes/memory/module.ts'
import { createTestProviders } from '../setup/providers.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** The commands of docs/api.md, run by sh as they are printed. */
const [SETUP = '', ...BLOCKS] = [...readFileSync('docs/api.md', 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, block = '']) => block,
)
const LISTENING = 'text/event-stream'
const missing = ['sh', 'curl', 'jq'].filter((command) => !exists(command))

const cloud = createMemoryCloud({ accessMs: 10 ** 12, chunkBytes: 100_000 })
const drivers = new Map<string, Driver>()
let server: TestServer
let ada: TestUser
let directory: string
let setup: string
const run = promisify(execFile)

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'skypool-guide-'))
  server = await startTestServer(
    {},
    {
      openProviders: ({ credentials, local }) => {
        const providers = createTestProviders([], credentials, local)
        return { ...providers, open: (account) => drivers.get(account.id) ?? providers.open(account) }
      },
    },
  )
  ada = await createUser(server.services.users)
  const { key } = await server.services.keys.create(ada.viewer, { name: 'The guide' })
  setup = SETUP.replace('http://127.0.0.1:3000', server.url).replace('sky_live_…', key)
})
afterAll(async () => {
  await server?.close()
  rmSync(directory, { recursive: true, force: true })
})

it('begins with what a person has to fill in', () => {
  expect(SETUP).toContain('http://127.0.0.1:3000')
  expect(SETUP).toContain('sky_live_…')
})

const guide = it.skipIf(missing.length > 0)
if (missing.length > 0)
  process.stderr.write(`The commands of docs/api.md are not run: ${missing.join(', ')} missing.\n`)

guide('every command works as it is printed', async () => {
  const commands = BLOCKS.filter((block) => !block.includes(LISTENING))
  const script = ['set -eu', setup, ...commands, 'cmp plan.txt plan-again.txt', 'wc -c < first-kilobyte'].join('\n')
  const { stdout } = await run('sh', ['-c', script], { cwd: directory })

  const plan = readFileSync(join(directory, 'plan.txt'))
  expect(readFileSync(join(directory, 'plan-again.txt')).equals(plan)).toBe(true)
  expect(readFileSync(join(directory, 'first-kilobyte')).equals(plan.subarray(0, 1024))).toBe(true)

  const { items } = await server.services.files.list(ada.viewer, { view: 'ALL', limit: 50 })
  expect(items.map(({ file }) => file.name).sort()).toEqual([
    'From outside',
    'Plans',
    'plan (2).txt',
    'plan.txt',
    'plan.txt',
    'survey.txt',
  ])
  expect(items.flatMap(({ file }) => (file.kind === 'FILE' ? [file.size] : []))).toEqual(Array(4).fill(plan.length))
  expectPrinted(stdout, items.length)
})

function expectPrinted(stdout: string, files: number): void {
  const links = stdout.match(new RegExp(`${server.url}/shares/share_[0-9a-f]{32}`, 'g'))
  expect(new Set(links).size, 'one link by REST, one by GraphQL').toBe(2)
  const tail = stdout.trimEnd().split('\n')
  const [folder, again] = tail.filter((line) => line.startsWith('file_'))
  expect(folder).toMatch(/^file_[0-9a-f]{32}$/)
  expect(again, 'the repeated request made no second folder').toBe(folder)
  const pages = tail.filter((line) => /^(plan( \(2\))?\.txt|survey\.txt)$/.test(line))
  expect(pages.sort(), 'all pages were read; the folder was made later').toEqual([
    'plan (2).txt',
    'plan.txt',
    'plan.txt',
    'survey.txt',
  ])
  expect(pages, 'all but the two folders').toHaveLength(files - 2)
  expect(stdout).toContain('"code": "NOT_FOUND"')
}

guide('the subscription tells how far a copy is on its way', async () => {
  const groupCloudId = await connectCloud()
  const [listen = '', ...others] = BLOCKS.filter((block) => block.includes(LISTENING))
  expect(others).toEqual([])
  const child = spawn('sh', ['-c', `${setup}\nexec ${listen}`], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let heard = ''
  child.stdout.on('data', (chunk) => {
    heard += chunk
  })
  await expect.poll(() => heard, { timeout: 120_000, message: 'the stream is open' }).not.toBe('')
  const content = Readable.from([Buffer.from(randomBytes(200_000).toString('hex'))])
  await server.services.uploads.receive(ada.viewer, { name: 'far.txt', size: null, groupCloudId }, content)
  await expect.poll(() => heard).toContain('"totalBytes":400000')
  child.kill()
  expect(heard).toMatch(/^event: next$/m)
  expect(heard).toContain('"fileName":"far.txt"')
})

/** A group cloud over an account of the memory cloud. */
async function connectCloud(): Promise<string> {
  const accountId = newId()
  cloud.addAccount({ subject: 'ada' })
  drivers.set(accountId, memoryModule(cloud).open(cloud.signIn('ada')))
  await server.pool.query(
    `insert into accounts (id, user_id, provider, provider_account_id, name, quota_state)
     values ($1, $2, 'memory', 'ada', 'Cloud of Ada', 'UNLIMITED')`,
    [accountId, ada.viewer.userId],
  )
  return (await server.services.groupClouds.create(ada.viewer, { name: 'Away', accountIds: [accountId] })).id
}

function exists(command: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
