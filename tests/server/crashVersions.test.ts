import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { databaseId } from '../../server/rest/request.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { type Client, createClient } from '../tools/crashTest/client.ts'
import { countLeftovers, type Leftovers } from '../tools/crashTest/judge.ts'
import { createLedger, type Ledger } from '../tools/crashTest/ledger.ts'
import { createRandom } from '../tools/crashTest/random.ts'
import { countVersions, judgeVersions, runVersionWriter } from '../tools/crashTest/versions.ts'

// The judge of the crash test, on a server that is not killed: it is content with that, and finds whatever is planted.

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({}, { single: true })
})
afterAll(() => server?.close())

const CHANGES = 40

/** A user whose files were changed for a while. */
async function written(seed: number): Promise<{ client: Client; ledger: Ledger; losses: string[] }> {
  const dir = mkdtempSync(join(tmpdir(), 'skypool-ledger-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const client = await createClient(server.url)
  const ledger = createLedger(join(dir, 'ledger.jsonl'))
  const losses: string[] = []
  let asked = 0
  // At the end, there is a file with an earlier version.
  const stopped = () => ++asked > CHANGES && replacedIn(ledger) !== undefined
  await runVersionWriter({ client, ledger, random: createRandom(seed), stopped, onLoss: (what) => losses.push(what) })
  ledger.close()
  return { client, ledger, losses }
}

function replacedIn({ documents }: Ledger) {
  return [...documents].find(([, contents]) => (contents?.length ?? 0) > 1)
}

/** A file of it that has an earlier version. */
function replacedOne(ledger: Ledger): string {
  const found = replacedIn(ledger)
  if (!found) throw new Error('No file was replaced.')
  return databaseId('File', found[0])
}

const leftovers = () => countLeftovers(server.dataDir, server.database.connection)
/** What is counted of the database: the objects may be in a bucket. */
const counted = ({ miscounted, orphaned, uncounted }: Leftovers) => ({ miscounted, orphaned, uncounted })

it('is content with a server that keeps what it acknowledges', async () => {
  const { client, ledger, losses } = await written(1)
  expect(losses).toEqual([])
  expect(await judgeVersions(client, ledger.documents)).toEqual([])
  expect(countVersions(ledger.documents).versions).toBeGreaterThan(5)
  expect(counted(await leftovers())).toEqual({ miscounted: 0, orphaned: 0, uncounted: 0 })
})

describe('finds', () => {
  it('a version that is lost, and its content that is left', async () => {
    const { client, ledger } = await written(2)
    const before = await leftovers()
    const lost = `delete from file_versions where id in (
      select id from file_versions where file_id = $1 and ended_at is not null and content_id <> file_id limit 1)`
    expect((await server.pool.query(lost, [replacedOne(ledger)])).rowCount).toBe(1)
    const problems = await judgeVersions(client, ledger.documents)
    expect(problems).toContainEqual(expect.stringMatching(/has the versions .* instead of /))
    expect(problems).toContainEqual(expect.stringMatching(/earlier versions of \d+ bytes are counted instead of /))
    expect((await leftovers()).orphaned).toBe(before.orphaned + 1)
  })

  it('a version with other bytes', async () => {
    const { client, ledger } = await written(3)
    const other = `update pieces p set object_ref = o.object_ref from copies c, pieces o join copies d on d.id = o.copy_id
      where p.copy_id = c.id and d.file_id = $1 and c.file_id in (
        select content_id from file_versions where file_id = $1 and ended_at is not null and content_id <> file_id)`
    expect((await server.pool.query(other, [replacedOne(ledger)])).rowCount).toBeGreaterThan(0)
    expect(await judgeVersions(client, ledger.documents)).toContainEqual(expect.stringMatching(/, version /))
  })

  it('a file that was deleted permanently and is still there', async () => {
    const { client, ledger } = await written(4)
    const [id] = [...ledger.documents].find(([, contents]) => contents !== null) ?? ['']
    const documents = new Map([...ledger.documents, [id, null] as const])
    expect(await judgeVersions(client, documents)).toContainEqual(`${id}: was deleted permanently, and answers 200`)
  })

  it('bytes that are charged and not there', async () => {
    const { client } = await written(5)
    expect((await client.json('GET', '/auth/me')).status).toBe(200)
    const before = await leftovers()
    const charge =
      'update accounts set used_bytes = used_bytes + $1 where id in (select id from accounts order by id desc limit 1)'
    await server.pool.query(charge, [7])
    const after = await leftovers()
    expect([after.miscounted - before.miscounted, Math.abs(after.uncounted - before.uncounted)]).toEqual([1, 7])
    await server.pool.query(charge, [-7])
  })
})
