import type { Exchange } from '../core/service.ts'
import { invalid, notFound } from './errors.ts'
import type { Item, User } from './model.ts'
import type { State } from './state.ts'
import { childNamed, itemById } from './tree.ts'

/** A call by a user, about to be carried out. */
export type Call = { readonly state: State; readonly exchange: Exchange; readonly user: User }

/** What the address of a call means: an item, perhaps by a path whose last part does not exist yet, and what to do with it. */
export type Target = {
  readonly base: string
  /** Names below the base. */
  readonly path: readonly string[]
  /** '' is the item itself; 'children', 'content', 'permissions/ID', … */
  readonly action: string
}

const ITEM = /^\/(root|items\/([^/:]+))(?::((?:\/[^/:]*)*)(?::|$))?(?:\/([^:]*))?$/

/** `rest`: what follows `/me/drive` or `/drives/ID`. Null for an address of something else. */
export function targetOf(rest: string): Target | null {
  const found = ITEM.exec(rest)
  if (!found) return null
  const [, , id, path = '', action = ''] = found
  const names = path.split('/').filter(Boolean).map(decodeURIComponent)
  return { base: id === undefined ? 'root' : decodeURIComponent(id), path: names, action: action.replace(/\/$/, '') }
}

/** @throws GraphError */
export function itemAt(user: User, { base, path }: Pick<Target, 'base' | 'path'>): Item {
  return path.reduce<Item>((folder, name) => childNamed(user, folder.id, name) ?? missing(), itemById(user, base))
}

function missing(): never {
  throw notFound()
}

/** The folder and the name under which something is to be stored. @throws GraphError */
export function placeAt(user: User, { base, path }: Pick<Target, 'base' | 'path'>): { parent: Item; name: string } {
  const name = path.at(-1)
  if (name === undefined) throw invalid('The name is missing.')
  const parent = itemAt(user, { base, path: path.slice(0, -1) })
  if (parent.kind !== 'folder') throw invalid('The parent is not a folder.')
  return { parent, name }
}

export async function jsonOf(exchange: Exchange): Promise<Record<string, unknown>> {
  const text = (await exchange.readBody()).toString('utf8')
  if (text === '') return {}
  if (!exchange.request.headers['content-type']?.startsWith('application/json')) throw invalid('The body is not JSON.')
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw invalid('Unable to read JSON request payload.')
  }
}

/** What is to happen when the name is taken. */
export function conflictOf(exchange: Exchange, otherwise: string): string {
  return exchange.url.searchParams.get('@microsoft.graph.conflictBehavior') ?? otherwise
}
