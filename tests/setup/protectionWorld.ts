import { expect } from 'vitest'
import { runJob } from '../../server/domain/fileJobs/run.ts'
import { createInPlaceHousekeeping } from '../../server/domain/inPlace/indexer.ts'
import { createInPlaceService } from '../../server/domain/inPlace/service.ts'
import {
  createProtectionHousekeeping,
  createProtectionService,
  leaveProtection,
} from '../../server/domain/protection/service.ts'
import type { EntryRef } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { NEVER, startAccountFilesWorld } from './accountFilesWorld.ts'

export { NEVER, ROOT } from './accountFilesWorld.ts'

export type ProtectionWorld = Awaited<ReturnType<typeof startProtectionWorld>>

/** Keeping copies of what is in the account `drive` on the accounts `other` and `third`, over services in memory. */
export async function startProtectionWorld() {
  /** Called before each call of a driver; may throw. */
  let before: (accountId: string, operation: string) => void = () => {}
  const accountFiles = await startAccountFilesWorld((accountId, operation) => before(accountId, operation))
  const { world, base, changeInPlace, contents, files, uploads, jobs, deps, tree, add, addFolder, idOf, close } =
    accountFiles
  const drive = await world.account('drive')
  const other = await world.account('other')
  const third = await world.account('third')
  const pool = await world.groupCloud([drive, other, third])
  const protection = createProtectionService({ ...base, files, startCopy: jobs.copyContent })
  Object.assign(world.housekeeping, {
    protection: createProtectionHousekeeping(base),
    inPlace: createInPlaceHousekeeping({ ...base, changeInPlace }),
  })
  const inPlace = createInPlaceService({ ...base, leaveProtection })
  const read = () => accountFiles.read(drive)
  const rootOf = () => accountFiles.rootOf(drive)

  function move(ref: EntryRef, parent: EntryRef, name: string): void {
    const object = world.cloud.accounts.get('drive')?.objects.get(ref)
    if (!object) throw new Error('There is nothing to move.')
    Object.assign(object, { parent, name })
    tree().changed(object)
  }

  /** Everything that follows from what was changed, until nothing is left to do. */
  async function settle(): Promise<void> {
    for (let round = 0; round < 40; round += 1) {
      await world.settleDown()
      const { rows } = await world.pool.query<{ id: string }>(
        "select id from file_jobs where state in ('WAITING', 'RUNNING') order by created_at",
      )
      if (rows.length === 0) return noFailedJobs()
      for (const { id } of rows) await runJob(deps, new Map(), id, NEVER)
      world.clock.advance(60_000)
    }
    throw new Error('It never settles.')
  }

  async function noFailedJobs(): Promise<void> {
    const { rows } = await world.pool.query(
      'select last_error from graphile_worker._private_jobs where last_error is not null',
    )
    expect(rows).toEqual([])
  }

  async function readAndSettle(): Promise<void> {
    await read()
    await settle()
  }

  async function text(fileId: string): Promise<string> {
    const { file, source } = await contents.open(world.viewer, fileId)
    const chunks: Buffer[] = []
    if (file.size > 0) {
      for await (const chunk of source.read(0, file.size - 1) as AsyncIterable<Buffer>) chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  }

  async function stateOf(fileId: string): Promise<string | undefined> {
    return (await protection.find(world.viewer, [fileId])).get(fileId)?.state
  }

  /** The protecting copies that there are: `name: content on accounts`. */
  async function copies(): Promise<string[]> {
    const { rows } = await world.pool.query<{ id: string; name: string }>(
      `select c.id, c.name from files c join protected_versions v on v.content_id = c.id
       where v.ended_at is null and c.purged_at is null order by c.name`,
    )
    const found: string[] = []
    for (const { id, name } of rows) {
      const held = (await world.copies(id)).map((copy) => copy.replace('STORED: ', ''))
      found.push(`${name}: ${(await world.read(id)).toString()} on ${held.join(' and ')}`)
    }
    return found
  }

  async function protect(folderId: string, input: { copies?: number; keepVersionsDays?: number } = {}): Promise<void> {
    await protection.protect(world.viewer, folderId, { groupCloudId: pool, copies: 1, ...input })
    await settle()
  }

  const earlier = async (fileId: string) =>
    (await protection.earlierVersions(world.viewer, fileId)).map(({ name, reason }) => `${name} ${reason}`)

  const down = (accountId: string) => {
    before = (id, operation) => {
      if (id !== accountId) return
      throw new ProviderError('ReconnectNeeded', { provider: 'memory', operation }, { message: 'Signed out.' })
    }
  }

  await inPlace.setScope(world.viewer, drive, 'EVERYTHING')
  await read()
  await read()

  return {
    world,
    drive,
    other,
    third,
    pool,
    files,
    contents,
    jobs,
    deps,
    uploads,
    protection,
    inPlace,
    tree,
    add,
    addFolder,
    move,
    read,
    settle,
    readAndSettle,
    idOf,
    rootOf,
    text,
    stateOf,
    copies,
    protect,
    earlier,
    down,
    set before(called: typeof before) {
      before = called
    },
    close,
  }
}
