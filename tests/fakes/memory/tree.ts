import type { EntryRef } from '../../../server/providers/driver.ts'
import type { MemoryAccount, MemoryObject, MemoryService } from './account.ts'
import type { Fail } from './errors.ts'

type NewObject = Pick<MemoryObject, 'kind' | 'name' | 'bytes' | 'mimeType'> & { readonly parent: EntryRef }

/** The names, folders and changes of one account. */
export type Tree = {
  /** @throws NotFound */
  find(ref: EntryRef, fail: Fail): MemoryObject
  /** @throws NotFound, when it is a file too */
  folder(ref: EntryRef, fail: Fail): MemoryObject
  children(parent: EntryRef): MemoryObject[]
  /** What has that name, as the service compares names. */
  named(parent: EntryRef, name: string): MemoryObject | null
  /** @throws NotFound, BadName, Conflict */
  admit(parent: EntryRef, name: string, fail: Fail, except?: EntryRef): void
  add(object: NewObject): MemoryObject
  /** With all that is in it. */
  remove(ref: EntryRef): void
  changed(object: MemoryObject): void
}

export function createTree(service: MemoryService, account: MemoryAccount): Tree {
  const { capabilities, clock, newId } = service
  const { objects, changed } = account
  let count = 0

  const find: Tree['find'] = (ref, fail) => {
    const object = objects.get(ref)
    if (!object) throw fail('NotFound', 'There is no such entry.')
    return object
  }
  const folder: Tree['folder'] = (ref, fail) => {
    const object = find(ref, fail)
    if (object.kind !== 'folder') throw fail('NotFound', 'There is no such folder.')
    return object
  }
  const children: Tree['children'] = (parent) => [...objects.values()].filter((object) => object.parent === parent)
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
      const fresh = { ref: newId() as EntryRef, number: count, modifiedAt: now, listedFrom: now, link: null }
      const object: MemoryObject = { ...added, ...fresh }
      objects.set(object.ref, object)
      changed.push(object.ref)
      return object
    },
    remove(ref) {
      for (const child of children(ref)) this.remove(child.ref)
      if (objects.delete(ref)) changed.push(ref)
    },
    changed(object) {
      object.modifiedAt = clock.now()
      changed.push(object.ref)
    },
  }
}
