import { createHash } from 'node:crypto'
import type { Blob } from '../core/blobs.ts'
import { type Content, createContent } from './content.ts'
import { EXPORT_FORMATS } from './drive/export.ts'
import type { Google } from './google.ts'
import { type DriveFile, FOLDER, type Properties, type Role, type User } from './model.ts'
import { newRevisionId } from './records.ts'

/** One of: a text, bytes, or so many bytes that look random and are the same for the same name. */
type Bytes = { readonly text?: string; readonly base64?: string; readonly size?: number }
type Plant = Bytes & {
  readonly user: string
  readonly name: string
  /** An id, or 'root'. */
  readonly parent?: string
  readonly mimeType?: string
  readonly appProperties?: Properties
  /** The id that a shortcut points to. */
  readonly target?: string
  /** The OAuth client that made it, or null for none. */
  readonly createdBy?: string | null
  /** How large a document is when it is exported. */
  readonly exportBytes?: number
  /** More than one: `name` gets a number at its end. */
  readonly count?: number
  /** When it was last changed, in ISO 8601; by default now. */
  readonly modified?: string
}
type PlantedFile = Bytes & { readonly path: string; readonly mimeType?: string; readonly modified?: string }
type Alter = Bytes & {
  readonly user: string
  readonly id: string
  readonly name?: string
  readonly parent?: string
  readonly trashed?: boolean
  readonly abusive?: boolean
  /** Only its owner and its writers may download it. */
  readonly restricted?: boolean
  readonly appProperties?: Properties
  /** This byte gets one bit wrong. */
  readonly flipAt?: number
}

type AlteredDrive = {
  readonly id: string
  readonly name?: string
  readonly user?: string
  readonly role?: Role | null
}

type Share = {
  readonly user: string
  readonly id: string
  /** The address of another user. */
  readonly with: string
  /** Null ends it. */
  readonly role: 'reader' | 'writer' | null
}

/** A user by address; throws when there is none. */
export function userOf({ store }: Google, email: string): User {
  const user = store.users.get(email)
  if (!user) throw new Error(`There is no user ${email}.`)
  return user
}

/** Things done to files from outside, without any app. */
export function filesCommands(google: Google) {
  const { store } = google
  const folderOf = (user: User, id = 'root'): string => (id === 'root' ? user.rootId : id)
  const contentOf = async (bytes: Bytes, seed: string): Promise<Content> => {
    const blob = store.blobs.create()
    await fill(blob, bytes, seed)
    return createContent(blob)
  }
  async function plant(body: Plant) {
    const owner = userOf(google, body.user)
    const {
      mimeType = 'application/octet-stream',
      count = 1,
      createdBy = null,
      appProperties = {},
      target,
      exportBytes,
      modified,
    } = body
    const ids: string[] = []
    for (let index = 0; index < count; index += 1) {
      const name = count === 1 ? body.name : `${body.name}${String(index).padStart(5, '0')}`
      const isBytes = !mimeType.startsWith('application/vnd.google-apps.')
      const content = isBytes ? await contentOf(body, name) : null
      const parents = [folderOf(owner, body.parent)]
      const more = {
        ...(target !== undefined && { shortcutTargetId: target }),
        ...(exportBytes !== undefined && { exportBytes }),
        ...(modified !== undefined && { modifiedTime: Date.parse(modified) }),
      }
      ids.push(store.create(owner, { name, mimeType, parents, content, createdBy, appProperties, ...more }).id)
    }
    return { id: ids[0], ids }
  }

  return {
    plant,
    /** Many files with the folders above them, by path: '/Photos/2024/a.jpg'. */
    async plantTree({ user, files }: { readonly user: string; readonly files: readonly PlantedFile[] }) {
      const folders = new Map<string, string>([['', 'root']])
      const folderAt = async (path: string): Promise<string> => {
        const known = folders.get(path)
        if (known !== undefined) return known
        const at = path.lastIndexOf('/')
        const parent = await folderAt(path.slice(0, at))
        const { id = '' } = await plant({ user, name: path.slice(at + 1), mimeType: FOLDER, parent })
        folders.set(path, id)
        return id
      }
      for (const { path, ...content } of files) {
        const at = path.lastIndexOf('/')
        await plant({ ...content, user, name: path.slice(at + 1), parent: await folderAt(path.slice(0, at)) })
      }
    },
    async alter(body: Alter) {
      const user = userOf(google, body.user)
      const file = fileOf(google, body.id)
      if (body.name !== undefined) file.name = body.name
      if (body.parent !== undefined) file.parents = [folderOf(user, body.parent)]
      if (body.trashed !== undefined)
        Object.assign(file, { trashed: body.trashed, trashedTime: body.trashed ? store.clock() : null })
      if (body.abusive !== undefined) file.abusive = body.abusive
      if (body.restricted !== undefined) file.copyRequiresWriterPermission = body.restricted
      if (body.appProperties !== undefined) file.appProperties = body.appProperties
      const isNew = body.text !== undefined || body.base64 !== undefined || body.size !== undefined
      if (isNew) await replace(file, await contentOf(body, `${file.name} altered`))
      if (body.flipAt !== undefined && file.content)
        await replace(file, await flipped(google, file.content, body.flipAt))
      if (isNew || body.flipAt !== undefined) file.modifiedTime = store.clock()
      store.touch(file)
    },
    /** A shared drive with these members, by address; a manager has the role `owner`. */
    addDrive({ name, members }: { readonly name: string; readonly members: Readonly<Record<string, Role>> }) {
      return { id: store.addDrive(name, new Map(Object.entries(members))).id }
    },
    /** `role` null ends the membership of `user`. */
    alterDrive({ id, name, user, role }: AlteredDrive) {
      const drive = store.drives.get(id)
      if (!drive) throw new Error(`There is no shared drive ${id}.`)
      if (name !== undefined) {
        drive.name = name
        drive.owner.changes.push({ fileId: id, time: store.clock(), removed: false, drive: true })
      }
      if (user !== undefined && role) drive.members.set(user, role)
      if (user !== undefined && role === null) drive.members.delete(user)
    },
    async remove({ id }: { user?: string; id: string }) {
      await store.remove(fileOf(google, id))
    },
    /** What the owner does in the dialog of sharing. */
    share({ id, with: address, role }: Share) {
      const [file, other] = [fileOf(google, id), userOf(google, address)]
      // Also before, so that the loss of access is a change for the other user.
      store.touch(file)
      file.permissions = file.permissions.filter((one) => one.emailAddress !== address)
      if (role === null) return
      const { permissionId, name: displayName } = other
      file.permissions.push({ id: permissionId, type: 'user', role, emailAddress: address, displayName })
      store.touch(file)
    },
    /** The media types that a document can be exported as, as the field `exportLinks` names them. */
    exportLinks: ({ id }: { id: string }) => EXPORT_FORMATS[fileOf(google, id).mimeType] ?? [],
    /** Whether lists of all files contain the root folder. */
    listRoot({ on }: { on: boolean }) {
      google.listsRoot = on
    },
    /** Page tokens of lists given so far are refused. */
    resetPages() {
      google.pages.clear()
    },
    /** Every page token of changes given so far is refused. */
    resetChanges({ user }: { user: string }) {
      const owner = userOf(google, user)
      owner.changesFrom = owner.changes.push({ fileId: owner.rootId, time: store.clock(), removed: false })
    },
    /** All files of the user but the root, in the order they were made. */
    objects: ({ user }: { user: string }) => {
      const owner = userOf(google, user)
      const all = store.filesOf(owner).filter((file) => file.id !== owner.rootId)
      return Promise.all(all.map((file) => describe(google, file)))
    },
  }
}

async function describe({ store }: Google, file: DriveFile) {
  return {
    id: file.id,
    name: file.name,
    path: pathOf(file, store.file),
    parents: file.parents,
    mimeType: file.mimeType,
    isFolder: file.mimeType === FOLDER,
    size: file.content?.size ?? null,
    md5: (await file.content?.digest('md5')) ?? null,
    sha256: (await file.content?.digest('sha256')) ?? null,
    trashed: store.isTrashed(file),
    ...(file.madeTwice && { madeTwice: true }),
    createdBy: file.createdBy,
    appProperties: file.appProperties,
    permissions: file.permissions.map(({ id, type, role, emailAddress }) => ({ id, type, role, emailAddress })),
    modifiedTime: new Date(file.modifiedTime).toISOString(),
  }
}

/** From the root, without its name. */
function pathOf(file: DriveFile, find: (id: string) => DriveFile | undefined): string {
  const above = find(file.parents[0] ?? '')
  return above && above.id !== file.owner.rootId ? `${pathOf(above, find)}/${file.name}` : `/${file.name}`
}

function fileOf({ store }: Google, id: string): DriveFile {
  const file = store.file(id)
  if (!file) throw new Error(`There is no file ${id}.`)
  return file
}

async function replace(file: DriveFile, content: Content): Promise<void> {
  await file.content?.release()
  file.content = content
  file.headRevisionId = newRevisionId()
}

async function flipped({ store }: Google, content: Content, at: number): Promise<Content> {
  const blob = store.blobs.create()
  for await (const chunk of content.read() as AsyncIterable<Buffer>) {
    const copy = Buffer.from(chunk)
    const index = at - blob.size
    if (index >= 0 && index < copy.length) copy[index] = (copy[index] ?? 0) ^ 1
    await blob.append(copy)
  }
  return createContent(blob)
}

const STEP = 64 * 1024

async function fill(blob: Blob, { text, base64, size = 0 }: Bytes, seed: string): Promise<void> {
  if (text !== undefined) return blob.append(Buffer.from(text))
  if (base64 !== undefined) return blob.append(Buffer.from(base64, 'base64'))
  // Counted blocks, as a hash can be made only so long.
  for (let index = 0; blob.size < size; index += 1) {
    const block = createHash('shake256', { outputLength: Math.min(STEP, size - blob.size) })
    await blob.append(block.update(`${seed} ${index}`).digest())
  }
}
