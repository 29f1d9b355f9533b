import { randomBytes } from 'node:crypto'
import type { Blobs } from '../core/blobs.ts'
import { type DriveFile, FOLDER, type Permission, type Role, type SharedDrive, type User } from './model.ts'
import { type NewFile, type NewUser, newFile, newUser } from './records.ts'

/** All files of all users, and who may see what. */
export type Store = {
  readonly blobs: Blobs
  readonly clock: () => number
  readonly users: Map<string, User>
  readonly drives: Map<string, SharedDrive>
  newId(): string
  /** Whether `newId` gave it, as Drive takes no other id from outside. */
  wasGiven(id: string): boolean
  addUser(input: NewUser): User
  addDrive(name: string, members: ReadonlyMap<string, Role>): SharedDrive
  /** The shared drive that it is in. */
  driveOf(file: DriveFile): SharedDrive | undefined
  /** After a move: files in a shared drive belong to it, and to `user` outside of it. */
  claim(user: User, file: DriveFile): void
  file(id: string): DriveFile | undefined
  filesOf(user: User): DriveFile[]
  create(owner: User, input: NewFile): DriveFile
  /** After a change: version and the change lists of all who see it. */
  touch(file: DriveFile): void
  /** With all that is in it. */
  remove(file: DriveFile): Promise<void>
  /** What was removed since then, for lists that lag. */
  removedSince(user: User, time: number): DriveFile[]
  isTrashed(file: DriveFile): boolean
  /** By itself, or by a folder above; null = sees nothing of it. */
  roleOf(user: User, file: DriveFile): Role | null
  usage(user: User): { readonly drive: number; readonly trash: number; readonly total: number }
}

const RANK: Readonly<Record<Role, number>> = { owner: 4, writer: 3, commenter: 2, reader: 1 }
const REMEMBERED = 1000

export function createStore(blobs: Blobs, clock: () => number): Store {
  const users = new Map<string, User>()
  const files = new Map<string, DriveFile>()
  const owned = new Map<User, Set<DriveFile>>()
  const drives = new Map<string, SharedDrive>()
  const given = new Set<string>()
  const removed: { readonly file: DriveFile; readonly time: number }[] = []
  let seq = 0

  const above = (file: DriveFile): DriveFile | undefined => files.get(file.parents[0] ?? '')
  const tell = (file: DriveFile, gone: boolean): void => {
    const drive = store.driveOf(file)
    if (drive) {
      drive.owner.changes.push({ fileId: file.id, time: clock(), removed: gone })
      return
    }
    for (const user of users.values()) {
      if (store.roleOf(user, file)) user.changes.push({ fileId: file.id, time: clock(), removed: gone })
    }
  }
  /** The owner of what is in these folders, if they are in a shared drive. */
  const ownerIn = (parents: readonly string[]): User | undefined => {
    const folder = files.get(parents[0] ?? '')
    return folder && store.driveOf(folder)?.owner
  }
  const add = (file: DriveFile): DriveFile => {
    files.set(file.id, file)
    owned.get(file.owner)?.add(file)
    tell(file, false)
    return file
  }
  const store: Store = {
    blobs,
    clock,
    users,
    drives,
    newId() {
      const id = `1${randomBytes(24).toString('base64url')}`
      given.add(id)
      return id
    },
    wasGiven: (id) => given.has(id),
    addUser(input) {
      if (users.has(input.email)) throw new Error(`There is a user ${input.email} already.`)
      const user = newUser(input, `0A${randomBytes(12).toString('base64url')}PVA`)
      users.set(user.email, user)
      owned.set(user, new Set())
      seq += 1
      const root = { id: user.rootId, name: 'My Drive', mimeType: FOLDER, parents: [], content: null, createdBy: null }
      add(newFile(user, root, seq, clock()))
      return user
    },
    addDrive(name, members) {
      const id = `0A${randomBytes(12).toString('base64url')}PVA`
      const owner = newUser({ email: '', name, quotaBytes: null }, id)
      const drive = { id, name, createdTime: clock(), owner, members: new Map(members) }
      drives.set(id, drive)
      owned.set(owner, new Set())
      seq += 1
      const root = { id, name: 'Drive', mimeType: FOLDER, parents: [], content: null, createdBy: null }
      add(newFile(owner, root, seq, clock()))
      return drive
    },
    driveOf: ({ owner }) => drives.get(owner.rootId),
    claim(user, file) {
      const owner = ownerIn(file.parents) ?? (store.driveOf(file) ? user : file.owner)
      if (owner === file.owner) return
      tell(file, true)
      const inside = store.filesOf(file.owner).filter(({ parents }) => parents.includes(file.id))
      owned.get(file.owner)?.delete(file)
      file.owner = owner
      owned.get(owner)?.add(file)
      for (const one of inside) store.claim(user, one)
    },
    file: (id) => files.get(id),
    filesOf: (user) => [...(owned.get(user) ?? [])],
    create(owner, input) {
      seq += 1
      const made = { ...input, id: input.id ?? store.newId() }
      return add(newFile(ownerIn(input.parents) ?? owner, made, seq, clock()))
    },
    touch(file) {
      file.version += 1
      tell(file, false)
    },
    async remove(file) {
      if (!files.has(file.id)) return
      if (file.mimeType === FOLDER) {
        for (const inside of store.filesOf(file.owner)) if (inside.parents.includes(file.id)) await store.remove(inside)
      }
      tell(file, true)
      files.delete(file.id)
      owned.get(file.owner)?.delete(file)
      removed.push({ file, time: clock() })
      if (removed.length > REMEMBERED) removed.shift()
      await file.content?.release()
    },
    removedSince: (user, time) =>
      removed.filter((entry) => entry.time >= time && entry.file.owner === user).map((entry) => entry.file),
    isTrashed(file) {
      const folder = above(file)
      return file.trashed || (folder !== undefined && store.isTrashed(folder))
    },
    roleOf(user, file) {
      const drive = store.driveOf(file)
      if (drive) return drive.members.get(user.email) ?? null
      if (file.owner === user) return 'owner'
      const own = file.permissions.filter((permission) => concerns(permission, user)).map(({ role }) => role)
      const folder = above(file)
      const inherited = folder ? store.roleOf(user, folder) : null
      const all = inherited ? [...own, inherited === 'owner' ? ('writer' as const) : inherited] : own
      return all.sort((a, b) => RANK[b] - RANK[a])[0] ?? null
    },
    usage(user) {
      let [drive, trash] = [0, 0]
      for (const file of owned.get(user) ?? []) {
        drive += file.content?.size ?? 0
        if (file.content && store.isTrashed(file)) trash += file.content.size
      }
      return { drive, trash, total: drive + user.usedByOthersBytes }
    },
  }
  return store
}

function concerns({ type, emailAddress }: Permission, user: User): boolean {
  return type === 'user' && emailAddress?.toLowerCase() === user.email.toLowerCase()
}
