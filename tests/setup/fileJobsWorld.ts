import { runJob } from '../../server/domain/fileJobs/run.ts'
import { createInPlaceService } from '../../server/domain/inPlace/service.ts'
import type { EntryRef } from '../../server/providers/driver.ts'
import { NEVER, startAccountFilesWorld } from './accountFilesWorld.ts'

export { NEVER, ROOT } from './accountFilesWorld.ts'

export type FileJobsWorld = Awaited<ReturnType<typeof startFileJobsWorld>>

/** Copying and moving between accounts and group clouds, over services in memory: the accounts `drive` and `other`, and a group cloud. */
export async function startFileJobsWorld() {
  /** Called before each call of a driver, which waits for it; may throw. */
  let before: (operation: string) => undefined | Promise<unknown> = () => undefined
  const accountFiles = await startAccountFilesWorld((_accountId, operation) => before(operation))
  const { world, base, files, jobs, deps, tree, add, addFolder, idOf, rootOf, close } = accountFiles
  const drive = await world.account('drive')
  const other = await world.account('other')
  const pool = await world.groupCloud([world.localId])
  const read = (id = drive) => accountFiles.read(id)

  /** Everything below a folder, as `path: content`. */
  async function contentsOf(parentId: string | null): Promise<string[]> {
    const found: string[] = []
    async function walk(id: string | null, path: string): Promise<void> {
      const { items } = await files.list(world.viewer, { view: 'DRIVE', parentId: id, limit: 200 })
      for (const { file } of items) {
        if (file.accountId !== null && id === null) continue
        if (file.kind === 'FOLDER') {
          found.push(`${path}${file.name}/`)
          await walk(file.id, `${path}${file.name}/`)
        } else found.push(`${path}${file.name}: ${(await world.read(file.id)).toString().slice(0, 40)}`)
      }
    }
    await walk(parentId, '')
    return found.sort()
  }

  const inTrash = (subject = 'drive') =>
    world.cloud
      .objects(subject)
      .filter(({ trashed }) => trashed)
      .map(({ name }) => name)

  async function run(id: string): Promise<void> {
    for (let round = 0; round < 40; round += 1) {
      const [job] = await jobs.service.getMany(world.viewer, [id])
      if (!job || job.endedAt !== null) return
      await runJob(deps, new Map(), id, NEVER)
      world.clock.advance(60_000)
    }
    throw new Error('The job does not end.')
  }

  async function start(input: Partial<Parameters<typeof jobs.service.start>[1]> & { ids: readonly string[] }) {
    const { id } = await jobs.service.start(world.viewer, {
      kind: 'MOVE',
      parentId: null,
      groupCloudId: pool,
      ...input,
    })
    return id
  }

  async function get(id: string) {
    const [job] = await jobs.service.getMany(world.viewer, [id])
    if (!job) throw new Error('There is no such job.')
    return job
  }

  /** A folder with two files, a folder in it, and an empty one. */
  async function plant(): Promise<EntryRef> {
    const folder = addFolder('Photos')
    const inner = addFolder('2024', folder)
    addFolder('Empty', folder)
    add('a.txt', folder, 'first')
    add('b.txt', inner, 'second')
    await read()
    return folder
  }

  for (const id of [drive, other]) {
    await createInPlaceService(base).setScope(world.viewer, id, 'EVERYTHING')
    await read(id)
    await read(id)
  }

  return {
    world,
    drive,
    other,
    pool,
    files,
    jobs,
    deps,
    tree,
    add,
    addFolder,
    read,
    idOf,
    rootOf,
    contentsOf,
    inTrash,
    run,
    start,
    get,
    plant,
    set before(called: typeof before) {
      before = called
    },
    close,
  }
}

export const PLANTED = ['Photos/', 'Photos/2024/', 'Photos/2024/b.txt: second', 'Photos/Empty/', 'Photos/a.txt: first']
