import type { Call, Driver, Entry, EntryRef } from '../../../server/providers/driver.ts'
import { type MemoryCloud, ROOT } from './cloud.ts'

const TOP = '.' as EntryRef
/** The reference where there is nothing. */
export const NOTHING = 'nothing' as EntryRef

/** How a server names the entries of an account that has ids for them here. */
export type Paths = {
  pathOf(ref: EntryRef): EntryRef
  /** A reference of nothing where there is nothing. */
  idOf(path: EntryRef): EntryRef
}

export function createPaths(cloud: MemoryCloud, subject: string): Paths {
  const tree = cloud.tree(subject)
  /** Names can contain anything. */
  const segmentOf = (name: string): string => encodeURIComponent(name) || '%'
  return {
    pathOf(ref) {
      const object = cloud.accounts.get(subject)?.objects.get(ref)
      if (ref === ROOT || !object) return TOP
      const above = this.pathOf(object.parent ?? ROOT)
      return (above === TOP ? segmentOf(object.name) : `${above}/${segmentOf(object.name)}`) as EntryRef
    },
    idOf(path) {
      if (path === TOP) return ROOT
      return path
        .split('/')
        .reduce<EntryRef>(
          (parent, segment) => tree.children(parent).find(({ name }) => segmentOf(name) === segment)?.ref ?? NOTHING,
          ROOT,
        )
    },
  }
}

/**
 * An account of a memory cloud as a server shows it that names entries by their paths, like one with SFTP: it reports no changes and
 * has no trash, and what is moved or renamed gets another reference, with everything below it. No two entries of a folder may have the
 * same name.
 */
export function pathDriver(driver: Driver, cloud: MemoryCloud, subject: string): Driver {
  const paths = createPaths(cloud, subject)
  const pathOf = (ref: EntryRef) => paths.pathOf(ref)
  const idOf = (path: EntryRef) => paths.idOf(path)
  const parentOf = (path: string): EntryRef =>
    (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : TOP) as EntryRef

  function entryOf(entry: Entry): Entry {
    const ref = pathOf(entry.ref)
    const { details } = entry
    const parent = ref === TOP ? null : parentOf(ref)
    // As times and sizes differ, so do those of two files that have had the same path.
    const revision = details?.revision ? `${entry.ref}.${details.revision}` : null
    return { ...entry, ref, ...(details && { details: { ...details, parent, revision, target: null, webUrl: null } }) }
  }
  const entriesOf = <Page extends { readonly items: readonly Entry[] }>(page: Page): Page => ({
    ...page,
    items: page.items.map(entryOf),
  })

  return {
    kind: driver.kind,
    capabilities: { ...driver.capabilities, pathRefs: true, duplicateNames: false },
    root: TOP,
    identity: (call) => driver.identity(call),
    quota: (call) => driver.quota(call),
    stat: async (call, ref) => entryOf(await driver.stat(call, idOf(ref))),
    list: async (call, folder, cursor) => entriesOf(await driver.list(call, idOf(folder), cursor)),
    ...(driver.listAll && {
      listAll: async (call: Call, cursor: string | null) =>
        entriesOf(await (driver.listAll as NonNullable<Driver['listAll']>)(call, cursor)),
    }),
    get: (call, ref, range) => driver.get(call, idOf(ref), range),
    put: async (call, entry, content, { isTaken, ...progress }) =>
      entryOf(
        await driver.put(call, { ...entry, parent: idOf(entry.parent) }, content, {
          ...progress,
          ...(isTaken && { isTaken: (ref: EntryRef) => isTaken(pathOf(ref)) }),
        }),
      ),
    abandon: (call, session, isNeeded) => driver.abandon(call, session, isNeeded && ((ref) => isNeeded(pathOf(ref)))),
    delete: (call, ref) => driver.delete(call, idOf(ref)),
    ensureFolder: async (call, parent, name) => pathOf(await driver.ensureFolder(call, idOf(parent), name)),
    ...(driver.move && {
      move: async (call: Call, ref: EntryRef, { parent, name }: { parent?: EntryRef; name?: string }) =>
        entryOf(
          await (driver.move as NonNullable<Driver['move']>)(call, idOf(ref), {
            ...(parent !== undefined && { parent: idOf(parent) }),
            ...(name !== undefined && { name }),
          }),
        ),
    }),
  }
}
