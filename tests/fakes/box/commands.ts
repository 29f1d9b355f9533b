import { createHash } from 'node:crypto'
import { bytesOfPlanted, type PlantedContent } from '../core/plantedContent.ts'
import { issue, newGrant } from './oauth.ts'
import { type Client, type Item, newId, type State, type User, userOf } from './state.ts'
import {
  addItem,
  changeItem,
  childrenOf,
  contentOf,
  createRoot,
  fold,
  isVisible,
  keyOf,
  newVersion,
  purge,
  ROOT_ID,
} from './tree.ts'

export type BoxCommands = ReturnType<typeof createCommands>

type ByUser = { readonly user: string }

/** What tests and the demo may do that no client can. */
export function createCommands(state: State) {
  return { ...accountCommands(state), ...tokenCommands(state), ...settingCommands(state), ...filesCommands(state) }
}

type NewUser = {
  readonly email: string
  readonly name?: string
  /** Null: unlimited. */
  readonly quotaBytes: number | null
  readonly usedByOthersBytes?: number
}

const FREE_MAX_UPLOAD = 50 * 1024 ** 3

function accountCommands(state: State) {
  return {
    addUser({ email, name = email, quotaBytes, usedByOthersBytes = 0 }: NewUser) {
      const root = createRoot(state.now())
      const user: User = {
        id: newId(state),
        email,
        name,
        quotaBytes,
        usedByOthersBytes,
        maxUploadBytes: FREE_MAX_UPLOAD,
        canShareOpenly: true,
        canPurge: true,
        items: new Map([[keyOf(root), root]]),
        events: [],
      }
      state.users.set(email, user)
      return { email, id: user.id }
    },
    setQuota({ user, ...quota }: ByUser & { quotaBytes?: number | null; usedByOthersBytes?: number }) {
      Object.assign(userOf(state, user), quota)
    },
    changeUser({ user, ...changes }: ByUser & Partial<Pick<User, 'maxUploadBytes' | 'canShareOpenly' | 'canPurge'>>) {
      Object.assign(userOf(state, user), changes)
    },
  }
}

function tokenCommands(state: State) {
  const grantsOf = (user: string) => new Set([...state.grants.values()].filter((grant) => grant.user.email === user))
  return {
    /** Tokens as after a consent, for clients that bring no browser. */
    mintToken({ user }: ByUser) {
      const [client] = state.clients.values()
      if (!client) throw new Error('There is no client.')
      return issue(state, newGrant(state, client.id, userOf(state, user)))
    },
    expireAccessTokens({ user }: Partial<ByUser>) {
      for (const token of state.accessTokens.values()) {
        if (user === undefined || token.grant.user.email === user) token.expiresAt = 0
      }
    },
    /** As if the user took access away. */
    revokeUser({ user }: ByUser) {
      for (const grant of grantsOf(user)) grant.ended = true
    },
    /** How many tokens of the user still work. */
    tokens({ user }: ByUser) {
      const isAlive = ({ grant, expiresAt }: { grant: { ended: boolean; user: User }; expiresAt: number }) =>
        !grant.ended && grant.user.email === user && expiresAt > state.now()
      return {
        refresh: [...grantsOf(user)].filter(({ ended }) => !ended).length,
        access: [...state.accessTokens.values()].filter(isAlive).length,
      }
    },
  }
}

function settingCommands(state: State) {
  const { settings } = state
  return {
    addClient(body: Client) {
      state.clients.set(body.id, body)
    },
    /** Of access tokens issued from now on. */
    tokenLife({ seconds }: { seconds: number }) {
      settings.tokenLifeSeconds = seconds
    },
    /** Whether a refresh token stays valid until a token of the next answer is used. */
    refreshGrace({ on }: { on: boolean }) {
      settings.refreshGrace = on
    },
    /** Whether the consent page cuts itself off from the window that opened it. */
    coop({ on }: { on: boolean }) {
      settings.coop = on
    },
    /** Uploads in parts: the size of a part, and of the smallest file. */
    sessionSizes(sizes: { partBytes?: number; minSessionBytes?: number }) {
      Object.assign(settings, sizes)
    },
    /** Whether pages of events repeat an earlier one and are not in order. */
    untidyEvents({ on }: { on: boolean }) {
      settings.untidyEvents = on
    },
    strictDownloads({ on }: { on: boolean }) {
      settings.strictDownloads = on
    },
    /** How many uploads are in progress. */
    sessions: () => state.sessions.size,
    /** Uploads in progress are forgotten. */
    loseSessions() {
      state.sessions.clear()
    },
  }
}

type Which = ByUser & { readonly path?: string; readonly id?: string; readonly type?: Item['type'] }
type Plant = PlantedContent & {
  readonly path: string
  /** Makes a folder, or a bookmark, instead. */
  readonly folder?: boolean
  readonly bookmark?: boolean
  /** More than one: the path gets a number at its end. */
  readonly count?: number
  readonly denied?: readonly string[]
}

/** What a person does with files, without any app. */
function filesCommands(state: State) {
  function plant({ user, path, count = 1, ...what }: Plant & ByUser) {
    const owner = userOf(state, user)
    const numbered = (index: number): string => `${path}${String(index).padStart(5, '0')}`
    const paths = count === 1 ? [path] : Array.from({ length: count }, (_, index) => numbered(index))
    const ids = paths.map((at) => plantOne(state, owner, at, what).id)
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
      if (isNew)
        newVersion(state, owner, item, contentOf(Buffer.concat([...bytesOfPlanted(which, `altered ${item.etag}`)])))
      if (to === undefined) return
      const { parent, name } = placeOf(state, owner, to)
      changeItem(state, owner, item, { parent, name }, parent === item.parent ? 'ITEM_RENAME' : 'ITEM_MOVE')
    },
    trash(which: Which) {
      const owner = userOf(state, which.user)
      changeItem(state, owner, itemAt(owner, which), { trashed: true }, 'ITEM_TRASH')
    },
    restore({ user, id, type = 'file' }: ByUser & { id: string; type?: Item['type'] }) {
      const owner = userOf(state, user)
      const item = owner.items.get(`${type} ${id}`)
      if (!item?.trashed) throw new Error(`${user} has no ${type} ${id} in the trash.`)
      changeItem(state, owner, item, { trashed: false }, 'ITEM_UNDELETE_VIA_TRASH')
    },
    /** Permanently. */
    remove(which: Which) {
      const owner = userOf(state, which.user)
      const item = itemAt(owner, which)
      changeItem(state, owner, item, { trashed: true }, 'ITEM_TRASH')
      purge(owner, item)
    },
    /** Everything outside of the trash, or what has this beginning. */
    objects({ user, path = '' }: ByUser & { path?: string }) {
      const owner = userOf(state, user)
      const items = [...owner.items.values()].filter((item) => item.parent !== null && isVisible(owner, item))
      return items.map((item) => describe(owner, item)).filter((one) => one.path.startsWith(path))
    },
    read(which: Which) {
      const { content } = itemAt(userOf(state, which.user), which)
      return { base64: (content?.read(0, content.size) ?? Buffer.alloc(0)).toString('base64') }
    },
  }
}

function describe(user: User, item: Item) {
  const { id, name, content, type, etag } = item
  const bytes = content?.read(0, content.size)
  const sha256 = bytes ? createHash('sha256').update(bytes).digest('hex') : null
  return {
    id,
    type,
    name,
    path: pathOf(user, item),
    etag,
    size: content?.size ?? null,
    sha1: content?.sha1 ?? null,
    sha256,
  }
}

function pathOf(user: User, item: Item): string {
  const above = item.parent === null || item.parent === ROOT_ID ? undefined : user.items.get(`folder ${item.parent}`)
  return `${above ? pathOf(user, above) : ''}/${item.name}`
}

function itemAt(user: User, { path, id, type = 'file' }: Which): Item {
  const item = id === undefined ? findPath(user, path ?? '') : user.items.get(`${type} ${id}`)
  if (!item) throw new Error(`${user.email} has nothing at ${id ?? path}.`)
  return item
}

function findPath(user: User, path: string): Item | undefined {
  let at = user.items.get(`folder ${ROOT_ID}`)
  for (const name of path.split('/').filter(Boolean)) {
    at = at && childrenOf(user, at.id).find((item) => fold(item.name) === fold(name))
  }
  return at
}

/** Creates the folders that are missing. */
function placeOf(state: State, user: User, path: string): { parent: string; name: string } {
  const names = path.split('/').filter(Boolean)
  const name = names.pop() ?? ''
  let parent: string = ROOT_ID
  for (const folder of names) {
    const known = childrenOf(user, parent).find((item) => item.type === 'folder' && fold(item.name) === fold(folder))
    parent = (known ?? addItem(state, user, { type: 'folder', name: folder, parent }, 'ITEM_CREATE')).id
  }
  return { parent, name }
}

function plantOne(
  state: State,
  user: User,
  path: string,
  { folder, bookmark, denied, ...content }: Omit<Plant, 'path' | 'count'>,
): Item {
  const place = placeOf(state, user, path)
  const known = childrenOf(user, place.parent).find((item) => fold(item.name) === fold(place.name))
  if (known) throw new Error(`${user.email} has something at ${path}.`)
  if (folder || bookmark) {
    const type = folder ? 'folder' : 'web_link'
    const item = addItem(state, user, { ...place, type }, 'ITEM_CREATE')
    item.denied = denied ?? []
    return item
  }
  const bytes = Buffer.concat([...bytesOfPlanted(content, path)])
  const item = addItem(state, user, { ...place, type: 'file', content: contentOf(bytes) }, 'ITEM_UPLOAD')
  item.denied = denied ?? []
  return item
}
