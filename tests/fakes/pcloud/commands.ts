import { createHash } from 'node:crypto'
import { bytesOfPlanted, type PlantedContent } from '../core/plantedContent.ts'
import { issue } from './oauth.ts'
import { type Client, contentOf, type Item, newId, REGIONS, type State, type User, userOf } from './state.ts'
import { addItem, changeItem, childrenOf, createRoot, keyOf, namedIn, ROOT_ID, trashItem } from './tree.ts'

export type PcloudCommands = ReturnType<typeof createCommands>

type ByUser = { readonly user: string }

/** What tests and the demo may do that no client can. */
export function createCommands(state: State) {
  return { ...accountCommands(state), ...settingCommands(state), ...filesCommands(state) }
}

type NewUser = {
  readonly email: string
  readonly name?: string
  readonly quotaBytes: number
  readonly usedByOthersBytes?: number
  /** 1: United States, 2: Europe. */
  readonly location?: 1 | 2
}

function accountCommands(state: State) {
  return {
    addUser({ email, name = email, quotaBytes, usedByOthersBytes = 0, location = 2 }: NewUser) {
      const root = createRoot(state.now())
      const user: User = {
        id: newId(state),
        email,
        name,
        location,
        quotaBytes,
        usedByOthersBytes,
        canExpireLinks: true,
        items: new Map([[keyOf(root), root]]),
        trash: new Map(),
        events: [],
        links: new Map(),
      }
      state.users.set(email, user)
      return { email, id: user.id }
    },
    setQuota({ user, ...quota }: ByUser & { quotaBytes?: number; usedByOthersBytes?: number }) {
      Object.assign(userOf(state, user), quota)
    },
    changeUser({ user, ...changes }: ByUser & Partial<Pick<User, 'canExpireLinks'>>) {
      Object.assign(userOf(state, user), changes)
    },
    /** A token as after a consent, for clients that bring no browser. */
    mintToken({ user }: ByUser) {
      const found = userOf(state, user)
      return { ...issue(state, found), hostname: REGIONS[found.location] ?? '' }
    },
    /** As if the user took access away. */
    revokeUser({ user }: ByUser) {
      for (const [value, owner] of state.tokens) if (owner.email === user) state.tokens.delete(value)
    },
    /** How many tokens of the user still work. */
    tokens: ({ user }: ByUser) => ({ access: [...state.tokens.values()].filter(({ email }) => email === user).length }),
  }
}

function settingCommands(state: State) {
  return {
    addClient(body: Client) {
      state.clients.set(body.id, body)
    },
    /** Whether the consent page cuts itself off from the window that opened it. */
    coop({ on }: { on: boolean }) {
      state.settings.coop = on
    },
    /** How many uploads are in progress. */
    uploads: () => state.uploads.size,
    /** Uploads in progress are forgotten. */
    loseUploads() {
      state.uploads.clear()
    },
    /** The older events of the user are not kept any more. */
    forgetEvents({ user }: ByUser) {
      const { events } = userOf(state, user)
      events.splice(0, Math.max(0, events.length - 1))
    },
  }
}

type Which = ByUser & { readonly path?: string; readonly id?: string }
type Plant = PlantedContent & {
  readonly path: string
  /** Makes a folder instead. */
  readonly folder?: boolean
  /** More than one: the path gets a number at its end. */
  readonly count?: number
  /** Such as `canmodify: false`, in a folder that another user shares. */
  readonly rights?: Readonly<Record<string, boolean>>
}

/** What a person does with files, without any app. */
function filesCommands(state: State) {
  function plant({ user, path, count = 1, ...what }: Plant & ByUser) {
    const owner = userOf(state, user)
    const numbered = (index: number): string => `${path}${String(index).padStart(5, '0')}`
    const paths = count === 1 ? [path] : Array.from({ length: count }, (_, index) => numbered(index))
    const ids = paths.map((at) => keyOf(plantOne(state, owner, at, what)))
    return { id: ids[0] ?? '', ids }
  }
  return {
    plant,
    plantTree({ user, files }: ByUser & { readonly files: readonly Plant[] }) {
      for (const file of files) plant({ ...file, user })
    },
    /** New content, or another path. */
    alter({ to, ...which }: Which & PlantedContent & { readonly to?: string }) {
      const owner = userOf(state, which.user)
      const item = itemAt(owner, which)
      const isNew = which.text !== undefined || which.base64 !== undefined || which.size !== undefined
      if (isNew) {
        const content = contentOf(Buffer.concat([...bytesOfPlanted(which, `altered ${item.modifiedAt}`)]))
        changeItem(state, owner, item, { content, modifiedAt: state.now() })
      }
      if (to === undefined) return
      const { folder, name } = placeOf(state, owner, to)
      changeItem(state, owner, item, { parent: folder.id, name })
    },
    trash(which: Which) {
      const owner = userOf(state, which.user)
      trashItem(state, owner, itemAt(owner, which))
    },
    /** Everything outside of the trash, or what has this beginning. */
    objects({ user, path = '' }: ByUser & { path?: string }) {
      const owner = userOf(state, user)
      const items = [...owner.items.values()].filter(({ parent }) => parent !== null)
      return items.map((item) => describe(owner, item)).filter((one) => one.path.startsWith(path))
    },
    read(which: Which) {
      const { content } = itemAt(userOf(state, which.user), which)
      return { base64: (content?.bytes ?? Buffer.alloc(0)).toString('base64') }
    },
  }
}

function describe(user: User, item: Item) {
  const { name, content, isFolder } = item
  const sha256 = content ? createHash('sha256').update(content.bytes).digest('hex') : null
  const size = content?.bytes.length ?? null
  return { id: keyOf(item), isFolder, name, path: pathOf(user, item), size, sha1: content?.sha1 ?? null, sha256 }
}

function pathOf(user: User, item: Item): string {
  const above = item.parent === null || item.parent === ROOT_ID ? undefined : user.items.get(`d${item.parent}`)
  return `${above ? pathOf(user, above) : ''}/${item.name}`
}

function itemAt(user: User, { path = '', id }: Which): Item {
  const item = id === undefined ? findPath(user, path) : user.items.get(id)
  if (!item) throw new Error(`${user.email} has nothing at ${id ?? path}.`)
  return item
}

function findPath(user: User, path: string): Item | undefined {
  let at = user.items.get(`d${ROOT_ID}`)
  for (const name of path.split('/').filter(Boolean)) {
    at = at && childrenOf(user, at).find((item) => item.name === name)
  }
  return at
}

/** Creates the folders that are missing. */
function placeOf(state: State, user: User, path: string): { folder: Item; name: string } {
  const names = path.split('/').filter(Boolean)
  const name = names.pop() ?? ''
  let folder = itemAt(user, { user: user.email, path: '/' })
  for (const one of names) {
    folder = namedIn(user, folder, one) ?? addItem(state, user, { folder, isFolder: true, name: one })
  }
  return { folder, name }
}

function plantOne(
  state: State,
  user: User,
  path: string,
  { folder: isFolder = false, rights, ...what }: Omit<Plant, 'path' | 'count'>,
): Item {
  const { folder, name } = placeOf(state, user, path)
  if (namedIn(user, folder, name)) throw new Error(`${user.email} has something at ${path}.`)
  const content = isFolder ? undefined : contentOf(Buffer.concat([...bytesOfPlanted(what, path)]))
  return addItem(state, user, { folder, isFolder, name, ...(content && { content }), ...(rights && { rights }) })
}
