import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { PORT, prepareDirectories } from '../../../server/db/embedded/directories.ts'
import { createObjectStore } from '../../../server/storage/objectStore.ts'
import type { Client } from './client.ts'
import type { Entry } from './ledger.ts'

const READERS = 4

/** Downloads everything in the ledger. @returns a sentence for each file that is lost or altered */
export async function judgeFiles(client: Client, entries: readonly Entry[]): Promise<string[]> {
  const losses: string[] = []
  const waiting = [...entries]
  const read = async () => {
    for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
      const found = await client.download(entry.id).catch((error: unknown) => String(error))
      if (typeof found === 'string') losses.push(`${entry.id}: ${found}`)
      else if (found.sha256 !== entry.sha256)
        losses.push(`${entry.id}: ${found.size} bytes, not the ${entry.size} sent`)
    }
  }
  await Promise.all(Array.from({ length: READERS }, read))
  return losses
}

/** Bytes on the disk and in the counters that belong to nothing. */
export type Leftovers = {
  readonly staged: number
  readonly unreferenced: number
  readonly missing: number
  /** Accounts whose counters are not the sum of what they hold. */
  readonly miscounted: number
}

/** Compares disk and rows of a server that has just started and swept. */
export async function countLeftovers(dataDir: string): Promise<Leftovers> {
  const store = await createObjectStore(dataDir)
  const stored = new Set<string>()
  for await (const id of store.listStored()) stored.add(id)
  const staged = readdirSync(join(dataDir, 'staging'))
  const { socket } = prepareDirectories(dataDir)
  const database = new pg.Client({ host: socket, port: PORT, user: 'skypool', database: 'skypool' })
  await database.connect()
  try {
    const refs = (await database.query<{ object_ref: string }>('select object_ref from pieces')).rows
    const referenced = new Set(refs.map((row) => row.object_ref))
    return {
      staged: staged.length,
      unreferenced: [...stored].filter((id) => !referenced.has(id)).length,
      missing: [...referenced].filter((id) => !stored.has(id)).length,
      miscounted: (await database.query(MISCOUNTED)).rowCount ?? 0,
    }
  } finally {
    await database.end()
  }
}

/** What is planned and what uploads hold back is reserved, what is stored is used. */
const MISCOUNTED = `select from accounts a where
  used_bytes <> (select coalesce(sum(size), 0) from pieces where account_id = a.id and state = 'STORED') or
  reserved_bytes <> (select coalesce(sum(size), 0) from pieces where account_id = a.id and state = 'PLANNED')
    + (select coalesce(sum(bytes), 0) from upload_reservations where account_id = a.id)`
