import type { EntryRef, EntryRights } from '../../../server/providers/driver.ts'
import type { MemoryAccount, MemoryObject, MemoryService } from './account.ts'
import type { Fail } from './errors.ts'

type NewObject = Pick<MemoryObject, 'kind' | 'name' | 'bytes' | 'mimeType'> &
  Partial<Pick<MemoryObject, 'nativeKind' | 'target' | 'rights' | 'isDrive'>> & {
    readonly modifiedAt?: number | undefined
  } & {
    /** Null: others share it with the account, or it is a shared drive. */
    readonly parent: EntryRef | null
  }

export const ALL_RIGHTS: EntryRights = {
  read: true,
  write: true,
  rename: true,
  move: true,
  delete: true,
  share: true,
}

/** The names, folders and changes of one account. */
export type Tree = {
  /** @throws NotFound, also for what is in the trash */
  find(ref: EntryRef, fail: Fail): MemoryObject
  /** @throws NotFound, when it is a file too */
  folder(ref: EntryRef, fail: Fail): MemoryObject
  /** The shared drive that it is in or is; null: it is in none. */
  driveOf(object: MemoryObject): EntryRef | null
  /** Without those in the trash. */
  children(parent: EntryRef): MemoryObject[]
  /** What others share, outside of shared folders. */
  shared(): MemoryObject[]
  /** By itself, or because of a folder above. */
  isTrashed(object: MemoryObject): boolean
  /** What has that name, as the service compares names. */
  named(parent: EntryRef, name: string): MemoryObject | null
  /** @throws NotFound, BadName, Conflict */
  admit(parent: EntryRef, name: string, fail: Fail, except?: EntryRef): void
  add(object: NewObject): MemoryObject
  /** With all that is in it. */
  remove(ref: EntryRef): void
  /** Into the trash or out of it, with all that is in it. One change is recorded, that of the object itself. */
  setTrashed(ref: EntryRef, trashed: boolean): void
  changed(object: MemoryObject): void
}

export function createTree(service: MemoryService, account: MemoryAccount): Tree {
  const { capabilities, clock, newId } = service
  const { objects, changed } = account
  let count = 0

  const isTrashed: Tree['isTrashed'] = ({ trashed, parent }) => {
    const above = parent === null ? undefined : objects.get(parent)
    return trashed || (above !== undefined && isTrashed(above))
  }
  const driveOf: Tree['driveOf'] = ({ ref, parent, isDrive }) => {
    const above = parent === null ? undefined : objects.get(parent)
    return isDrive ? ref : above ? driveOf(above) : null
  }
  const find: Tree['find'] = (ref, fail) => {
    const object = objects.get(ref)
    if (!object || isTrashed(object)) throw fail('NotFound', 'There is no such entry.')
    return object
  }
  const folder: Tree['folder'] = (ref, fail) => {
    const object = find(ref, fail)
    if (object.kind !== 'folder') throw fail('NotFound', 'There is no such folder.')
    return object
  }
  const inside = (parent: EntryRef): MemoryObject[] =>
    [...objects.values()].filter((object) => object.parent === parent)
  const children: Tree['children'] = (parent) => inside(parent).filter(({ trashed }) => !trashed)
  const key = (name: string): string => {
    const normal = name.normalize('NFC')
    return capabilities.caseSensitive ? normal : normal.toLowerCase()
  }
  const named: Tree['named'] = (parent, name) =>
    children(parent).find((object) => key(object.name) === key(name)) ?? null

  return {
    find,
    folder,
    children,
    shared: () =>
      [...objects.values()].filter(
        ({ ref, parent, isDrive, trashed }) => parent === null && !isDrive && !trashed && ref !== account.root,
      ),
    driveOf,
    isTrashed,
    named,
    admit(parent, name, fail, except) {
      folder(parent, fail)
      const length = capabilities.nameUnit === 'bytes' ? Buffer.byteLength(name) : name.length
      if (length === 0 || length > capabilities.maxNameLength) throw fail('BadName', 'The name is empty or too long.')
      if (capabilities.duplicateNames) return
      const taken = named(parent, name)
      if (taken && taken.ref !== except) throw fail('Conflict', 'The name is taken.')
    },
    add(added) {
      count += 1
      const now = clock.now()
      const object: MemoryObject = {
        nativeKind: null,
        target: null,
        isDrive: false,
        rights: ALL_RIGHTS,
        ...added,
        ref: newId() as EntryRef,
        number: count,
        createdAt: now,
        modifiedAt: added.modifiedAt ?? now,
        listedFrom: 0,
        revision: 1,
        trashed: false,
        link: null,
      }
      objects.set(object.ref, object)
      changed.push(object.ref)
      return object
    },
    remove(ref) {
      for (const child of inside(ref)) this.remove(child.ref)
      if (objects.delete(ref)) changed.push(ref)
    },
    setTrashed(ref, trashed) {
      const object = objects.get(ref)
      if (!object) throw new Error('There is nothing to move into the trash, or out of it.')
      object.trashed = trashed
      changed.push(ref)
    },
    changed(object) {
      object.modifiedAt = clock.now()
      changed.push(object.ref)
    },
  }
}
