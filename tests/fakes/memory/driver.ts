import { abortable } from '../../../server/lib/concurrency.ts'
import {
  type Call,
  type Credentials,
  type Driver,
  type EntryRef,
  type EntryRights,
  SHARED_WITH_ME,
} from '../../../server/providers/driver.ts'
import { authenticate } from './access.ts'
import {
  entryOf,
  exportTypesOf,
  hasRoom,
  type MemoryAccount,
  type MemoryObject,
  sharedWithMe,
  usedBytes,
} from './account.ts'
import { type MemoryCloud, ROOT } from './cloud.ts'
import { exported, getContent } from './download.ts'
import { changesSince, copyOf, linkTo, listFolder, moved } from './entries.ts'
import { type Fail, failing } from './errors.ts'
import { type Fault, type Operation, suffer } from './faults.ts'
import { listEverything } from './listing.ts'
import type { Tree } from './tree.ts'
import { openUpload, putContent, uploadIdOf } from './upload.ts'

type Work = { readonly account: MemoryAccount; readonly tree: Tree; readonly fault: Fault | null; readonly fail: Fail }

/** An account of a memory cloud, as its credentials open it. */
export function memoryDriver(cloud: MemoryCloud, credentials: Credentials): Driver {
  const { service } = cloud

  /** One call: its fault before, in and after what it does. */
  async function run<Value>(
    call: Call,
    operation: Operation,
    ref: EntryRef | null,
    work: (given: Work) => Value | Promise<Value>,
  ): Promise<Value> {
    call.signal.throwIfAborted()
    const where = { provider: service.kind, operation }
    const fail = failing(service, operation)
    const fault = cloud.fault?.(operation, ref, subjectOf(cloud, credentials)) ?? null
    await suffer(fault, service.clock, call.signal, where)
    const account = authenticate(service, cloud.accounts.values(), credentials, fail)
    const given = { account, tree: cloud.tree(account.subject), fault, fail }
    const value = await abortable(call.signal, Promise.resolve(work(given)))
    if (fault?.kind === 'lostReply') throw fail('Transient', 'The answer was lost.')
    return value
  }

  return {
    kind: service.kind,
    capabilities: service.capabilities,
    root: ROOT,
    identity: (call) =>
      run(call, 'identity', null, ({ account: { subject, email, name } }) => ({ subject, email, name })),
    quota: (call) =>
      run(call, 'quota', null, ({ account }) => {
        const known = account.quota.state === 'UNKNOWN' ? null : usedBytes(account)
        return { ...account.quota, usedBytes: known }
      }),
    stat: (call, ref) =>
      run(call, 'stat', ref, ({ tree, fail }) =>
        ref === SHARED_WITH_ME ? sharedWithMe(ROOT) : entryOf(service, tree.find(ref, fail)),
      ),
    list: (call, folder, cursor) =>
      run(call, 'list', folder, ({ tree, fail }) => listFolder(service, tree, folder, cursor, fail)),
    listAll: (call, cursor, extraRoots) =>
      run(call, 'listAll', null, (work) => listEverything({ ...work, service }, cloud.listing, cursor, extraRoots)),
    roots: (call) =>
      run(call, 'roots', null, ({ account }) => {
        const drives = [...account.objects.values()].filter(({ isDrive }) => isDrive)
        const { ref, name } = sharedWithMe(ROOT)
        return [{ ref, name }, ...drives.map((drive) => ({ ref: drive.ref, name: drive.name }))]
      }),
    get: (call, ref, range) =>
      run(call, 'get', ref, ({ account, tree, fault, fail }) => {
        const object = tree.find(ref, fail)
        if (object.kind === 'folder') throw fail('NotFound', 'A folder has no content.')
        if (object.nativeKind !== null) throw fail('Forbidden', 'A document has no content, and is exported instead.')
        allow(object, 'read', fail)
        return getContent({ service, account, call, object, range, fault, fail })
      }),
    export: (call, ref, type) =>
      run(call, 'export', ref, ({ tree, fault, fail }) => {
        const object = tree.find(ref, fail)
        allow(object, 'read', fail)
        if (!exportTypesOf(object).includes(type)) throw fail('Permanent', 'It is not exported as that.')
        return exported(call, object, type, fault, fail)
      }),
    put: (call, entry, content, progress) =>
      run(call, 'put', entry.parent, (work) => {
        allow(work.tree.folder(entry.parent, work.fail), 'write', work.fail)
        return putContent({ ...work, service, call, entry, content, progress })
      }),
    abandon: (call, session, isNeeded) =>
      run(call, 'abandon', null, async ({ account, tree }) => {
        const id = uploadIdOf(session) ?? ''
        const stored = account.uploads.get(id)?.stored
        if (stored && !(await isNeeded?.(stored))) tree.remove(stored)
        account.uploads.delete(id)
      }),
    delete: (call, ref) =>
      run(call, 'delete', ref, ({ account, tree, fail }) => {
        const object = account.objects.get(ref)
        if (object) allow(object, 'delete', fail)
        tree.remove(ref)
      }),
    ensureFolder: (call, parent, name) =>
      run(call, 'ensureFolder', parent, ({ tree, fail }) => {
        const folder = tree.folder(parent, fail)
        const found = tree.named(parent, name)
        if (found?.kind === 'folder') return found.ref
        allow(folder, 'write', fail)
        tree.admit(parent, name, fail)
        return tree.add({ parent, name, kind: 'folder', bytes: Buffer.alloc(0), mimeType: null }).ref
      }),
    move: (call, ref, to) =>
      run(call, 'move', ref, ({ tree, fail }) => {
        const object = tree.find(ref, fail)
        if (to.name !== undefined && to.name !== object.name) allow(object, 'rename', fail)
        if (to.parent !== undefined && to.parent !== object.parent) allow(object, 'move', fail)
        return entryOf(service, moved(tree, ref, to, fail))
      }),
    trash: (call, ref) =>
      run(call, 'trash', ref, ({ account, tree, fail }) => {
        const object = account.objects.get(ref)
        if (!object) throw fail('NotFound', 'There is no such object.')
        allow(object, 'delete', fail)
        if (!object.trashed) tree.setTrashed(ref, true)
      }),
    restore: (call, ref, parent) =>
      run(call, 'restore', ref, ({ account, tree, fail }) => {
        const object = account.objects.get(ref)
        if (!object) throw fail('NotFound', 'There is no such object.')
        tree.folder(parent, fail)
        if (object.trashed) tree.setTrashed(ref, false)
        object.parent = parent
        return entryOf(service, tree.find(ref, fail))
      }),
    copy: (call, ref, entry, { save }) =>
      run(call, 'copy', ref, async ({ account, tree, fail }) => {
        const upload = await openUpload(service, account, entry.size, save)
        const original = tree.find(ref, fail)
        allow(original, 'read', fail)
        if (!hasRoom(account, original.bytes.length)) throw fail('QuotaExceeded', 'The account is full.')
        const copy = copyOf(tree, original, entry, fail)
        upload.stored = copy.ref
        return entryOf(service, copy)
      }),
    changes: (call, cursor, extraRoots) =>
      run(call, 'changes', null, (work) => changesSince({ ...work, service }, cursor, extraRoots)),
    share: (call, ref, expiresAt) =>
      run(call, 'share', ref, ({ tree, fail }) => {
        const object = tree.find(ref, fail)
        allow(object, 'share', fail)
        return linkTo(service, object, expiresAt)
      }),
    unshare: (call, ref) =>
      run(call, 'unshare', ref, ({ account }) => {
        const object = account.objects.get(ref)
        if (object) object.link = null
      }),
  }
}

/** @throws Forbidden */
function allow({ rights }: MemoryObject, right: keyof EntryRights, fail: Fail): void {
  if (!rights[right]) throw fail('Forbidden', `The user of the account has no right to ${right}.`)
}

/** Whose call it is, also when the credentials are not good any more; empty where nobody's. */
function subjectOf(cloud: MemoryCloud, { accessToken }: Credentials): string {
  for (const { subject, access } of cloud.accounts.values()) if (access.has(accessToken ?? '')) return subject
  return ''
}
