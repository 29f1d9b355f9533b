import type { Db } from '../db/client.ts'
import type { Account, GroupCloud } from '../db/generated/prisma/client.ts'
import type { LossPreview } from '../domain/accounts/contract.ts'
import { visibleTo as accountsOf } from '../domain/accounts/rows.ts'
import { NotFoundError } from '../domain/errors.ts'
import type { FileJob } from '../domain/fileJobs/contract.ts'
import type { BrowserPicture } from '../domain/files/content/browserPictures.ts'
import type { Copy, File } from '../domain/files/contract.ts'
import { visibleTo as filesOf } from '../domain/files/tree/entries.ts'
import {
  type GroupCloudHealth,
  visibleTo as groupCloudsOf,
  type PlacementPreview,
  type GroupCloud as PoolOfViewer,
} from '../domain/groupClouds/contract.ts'
import type { ShownRoots } from '../domain/inPlace/roots.ts'
import type { AccountIndex } from '../domain/inPlace/service.ts'
import type { ApiKey } from '../domain/keys/contract.ts'
import type { ProtectionInfo } from '../domain/protection/contract.ts'
import type { Services } from '../domain/services.ts'
import type { Share } from '../domain/shares/contract.ts'
import type { Tag } from '../domain/tags/service.ts'
import type { Transfer } from '../domain/transfers/contract.ts'
import type { UploadLink } from '../domain/uploadLinks/contract.ts'
import type { Session } from '../domain/users/contract.ts'
import type { Viewer } from '../domain/viewer.ts'

export type Loaders = ReturnType<typeof createLoaders>

/** The DataLoaders of one request: a page costs the same number of SQL statements whatever its length. */
export function createLoaders(viewer: Viewer, services: Services, db: Db) {
  const accountsById = async (ids: readonly string[]) =>
    byId(await db.account.findMany({ where: { id: { in: [...ids] }, ...accountsOf(viewer) } }))
  return {
    viewerId: viewer.userId,
    file: batch<File | null>((ids) => pair(ids, services.files.getMany(viewer, ids)), null),
    pathTo: batch<readonly File[]>((folderIds) => services.files.pathsTo(viewer, folderIds), []),
    folderPictures: batch<readonly File[]>((ids) => services.thumbnails.ofFolders(viewer, ids), []),
    /** Of a file in an account; null: it has no thumbnail. */
    contentTag: batch<string | null>((ids) => services.thumbnails.contentTags(viewer, ids), null),
    browserPicture: batch<BrowserPicture | null>((ids) => services.thumbnails.fromBrowsers(viewer, ids), null),
    copies: batch<readonly Copy[]>((ids) => services.files.copies(viewer, ids), []),
    storedIn: batch<Account[]>(async (ids) => {
      const holding = await services.files.storedIn(viewer, ids)
      const accounts = await accountsById([...new Set([...holding.values()].flat())])
      return new Map(
        [...holding].map(([id, accountIds]) => [id, accountIds.flatMap((held) => accounts.get(held) ?? [])]),
      )
    }, []),
    account: batch<Account | null>(accountsById, null),
    shownRoots: batch<ShownRoots | null>((ids) => services.inPlace.shownRoots(viewer, ids), null),
    accountIndex: batch<AccountIndex | null>((ids) => services.inPlace.indexes(viewer, ids), null),
    canShowEverything: batch<boolean>(async (ids) => {
      const showable = await services.inPlace.showable(viewer, ids)
      return new Map([...showable].map((id) => [id, true]))
    }, false),
    protection: batch<ProtectionInfo | null>((ids) => services.protection.find(viewer, ids), null),
    atRiskFiles: batch<number>((ids) => services.accounts.atRiskFiles(viewer, ids), 0),
    /** Counted per account, sequentially; the result is cached. */
    lossPreview: batch<LossPreview | null>(async (ids) => {
      const previews = new Map<string, LossPreview>()
      for (const id of ids) previews.set(id, await services.accounts.previewLoss(viewer, id))
      return previews
    }, null),
    groupCloud: batch<GroupCloud | null>(
      async (ids) => byId(await db.groupCloud.findMany({ where: { id: { in: [...ids] }, ...groupCloudsOf(viewer) } })),
      null,
    ),
    pool: batch<PoolOfViewer | null>((ids) => pair(ids, services.groupClouds.getMany(viewer, ids)), null),
    health: batch<GroupCloudHealth | null>((ids) => services.groupClouds.health(viewer, ids), null),
    /** Key: `<bytes> <group cloud id>`. */
    placementPreview: batch<PlacementPreview | null>((keys) => {
      const questions = keys.map((key) => {
        const [size = '', id = ''] = key.split(' ')
        return { id, size: Number(size) }
      })
      return pair(keys, services.groupClouds.previewPlacements(viewer, questions))
    }, null),
    job: batch<FileJob | null>((ids) => pair(ids, services.fileJobs.getMany(viewer, ids)), null),
    transfer: batch<Transfer | null>((ids) => pair(ids, services.transfers.getMany(viewer, ids)), null),
    share: batch<Share | null>((ids) => pair(ids, services.shares.getMany(viewer, ids)), null),
    sharesOf: batch<readonly Share[]>((ids) => services.shares.ofFiles(viewer, ids), []),
    uploadLink: batch<UploadLink | null>((ids) => pair(ids, services.uploadLinks.getMany(viewer, ids)), null),
    uploadLinksOf: batch<readonly UploadLink[]>((ids) => services.uploadLinks.ofFolders(viewer, ids), []),
    tag: batch<Tag | null>((ids) => pair(ids, services.tags.getMany(viewer, ids)), null),
    tagCount: batch<number>((ids) => services.tags.counts(viewer, ids), 0),
    tagsOf: batch<readonly Tag[]>((ids) => services.tags.ofFiles(viewer, ids), []),
    apiKey: batch<ApiKey | null>((ids) => pair(ids, services.keys.getMany(viewer, ids)), null),
    keyUsage: batch<readonly { day: Date; calls: number }[]>((ids) => services.keys.usage(viewer, ids), []),
    session: batch<Session | null>(async () => byId(await services.people.sessions(viewer)), null),
    /** File id by copy id. */
    fileOfCopy: batch<string | null>(async (ids) => {
      const copies = await db.copy.findMany({
        where: { id: { in: [...ids] }, file: filesOf(viewer) },
        select: { id: true, fileId: true },
      })
      return new Map(copies.map(({ id, fileId }) => [id, fileId]))
    }, null),
  }
}

async function pair<Value>(ids: readonly string[], values: Promise<readonly Value[]>): Promise<Map<string, Value>> {
  const found = await values
  return new Map(ids.flatMap((id, index) => (found[index] === undefined ? [] : [[id, found[index]] as const])))
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}

type Waiting<Value> = { readonly resolve: (value: Value) => void; readonly reject: (reason: unknown) => void }

/**
 * A DataLoader: collects the ids that are loaded while one level of a query resolves into one call of `load`, and caches the
 * results as long as the returned function is used (one request). `load` gets each id once and returns values by id; `missing`
 * stands for ids that it leaves out.
 */
export function batch<Value>(
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  missing: Value,
): (id: string) => Promise<Value> {
  const known = new Map<string, Promise<Value>>()
  let waiting = new Map<string, Waiting<Value>>()

  async function flush(): Promise<void> {
    const group = waiting
    waiting = new Map()
    try {
      const values = await load([...group.keys()])
      for (const [id, { resolve }] of group) resolve(values.get(id) ?? missing)
    } catch (error) {
      for (const { reject } of group.values()) reject(error)
    }
  }

  return (id) => {
    const before = known.get(id)
    if (before) return before
    // After all pending promise callbacks: by then every field of this level has called.
    if (waiting.size === 0) void Promise.resolve().then(() => process.nextTick(flush))
    const value = new Promise<Value>((resolve, reject) => waiting.set(id, { resolve, reject }))
    known.set(id, value)
    return value
  }
}

/** @throws NotFoundError for null: deleted since the row that refers to it was read, or not visible to the viewer */
export function found<Value>(value: Value | null): Value {
  if (value === null) throw new NotFoundError()
  return value
}
