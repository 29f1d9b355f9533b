import type { Pool } from 'pg'
import { formatBytes } from '../../lib/format.ts'
import { InvalidInputError, NotFoundError, StorageFullError } from '../errors.ts'
import { walk } from '../files/content/archive.ts'
import type { CopyFiles, File, ListFiles } from '../files/contract.ts'
import {
  type ChangeDeps,
  changeTree,
  distinctIds,
  lockReadableEntries,
  refuseCycle,
  requireTargetFolder,
} from '../files/tree/change.ts'
import { requireFiles } from '../files/tree/entries.ts'
import { listFiles } from '../files/tree/listing.ts'
import { type AccountLabel, findMembers, type GroupCloudMembers, withTurns } from '../groupClouds/members.ts'
import { roomBytes } from '../groupClouds/placement.ts'
import { placeAmong } from '../uploads/destination.ts'
import type { Viewer } from '../viewer.ts'

/** Maximum number of files, and of folders, per call. */
export const MAX_COPIED = 1000

/** A requested entry with everything below it; a folder precedes its contents. */
export type Tree = { readonly top: File; readonly entries: readonly File[] }

/** The entries to copy, as they are now. @throws InvalidInputError, NotFoundError, FolderCycleError */
export async function planCopy(deps: ChangeDeps, viewer: Viewer, { ids, parentId }: CopyFiles): Promise<Tree[]> {
  const distinct = distinctIds(ids)
  const tops = await changeTree(deps, viewer, async (change) => {
    const entries = await lockReadableEntries(change, distinct)
    refuseCycle(entries, await requireTargetFolder(change, parentId), 'copied')
    return requireFiles(change.tx, viewer, distinct)
  })
  return readTrees(deps.pool, viewer, tops)
}

async function readTrees(pool: Pool, viewer: Viewer, tops: readonly File[]): Promise<Tree[]> {
  const list = (options: ListFiles) => listFiles(pool, viewer, options)
  const count = { FILE: 0, FOLDER: 0 }
  const trees: Tree[] = []
  for (const top of tops) {
    const entries: File[] = []
    for await (const { file } of walk(list, [top])) {
      count[file.kind] += 1
      if (count[file.kind] > MAX_COPIED) throw tooMany()
      entries.push(file)
    }
    trees.push({ top, entries })
  }
  return trees
}

function tooMany(): InvalidInputError {
  const most = MAX_COPIED.toLocaleString('en')
  const message = `At most ${most} files and as many folders can be copied at once. Please select fewer.`
  return new InvalidInputError([{ path: 'ids', message }])
}

type Wanted = { readonly size: number; readonly groupCloudId: string }

/**
 * Checks that all files together have room, in the order in which they will be placed. Reserves nothing: other uploads may take
 * the room meanwhile.
 * @throws NotFoundError, StorageFullError with the bytes of all that goes into the group cloud that is full
 */
export async function requireRoom(
  { pool, accountLabel }: { readonly pool: Pool; readonly accountLabel?: AccountLabel },
  viewer: Viewer,
  files: readonly File[],
  groupCloudId: string | undefined,
): Promise<void> {
  const wantedOf = (file: File) => groupCloudId ?? file.groupCloudId ?? undefined
  const wanted = [...new Set(groupCloudId === undefined ? files.map(wantedOf) : [groupCloudId])]
  const found = await findMembers(
    pool,
    wanted.map((id) => ({ userId: viewer.userId, id })),
    accountLabel,
  )
  const byWanted = new Map(wanted.map((id, index) => [id, known(found[index])]))
  const placed = files.map((file) => ({
    size: file.size,
    groupCloudId: known(byWanted.get(wantedOf(file))).groupCloudId,
  }))
  const clouds = await withTurns(pool, new Map([...byWanted.values()].map((one) => [one.groupCloudId, one])))
  placeAll(clouds, placed)
}

function placeAll(clouds: ReadonlyMap<string, GroupCloudMembers>, files: readonly Wanted[]): void {
  const left = new Map(clouds)
  for (const one of files) {
    try {
      placeAmong(left, { ...one, accountId: null })
    } catch (error) {
      throw error instanceof StorageFullError ? forAll(error, known(clouds.get(one.groupCloudId)), files) : error
    }
  }
}

/** The error for one file, with the size of all files if these together do not fit. */
function forAll(error: StorageFullError, cloud: GroupCloudMembers, files: readonly Wanted[]): StorageFullError {
  const needed = files.reduce(
    (sum, { size, groupCloudId }) => sum + (groupCloudId === cloud.groupCloudId ? size : 0),
    0,
  )
  const free = roomBytes(cloud.members, { spanning: true })
  if (files.length === 1 || needed <= free) return error
  const message = `There is no room for the copies: ${formatBytes(needed)} are needed, and ${formatBytes(free)} are free in this group cloud.`
  return new StorageFullError(needed, free, message)
}

function known(cloud: GroupCloudMembers | null | undefined): GroupCloudMembers {
  if (cloud) return cloud
  throw new NotFoundError('This group cloud does not exist. Please choose another one.')
}
