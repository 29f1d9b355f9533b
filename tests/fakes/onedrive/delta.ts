import { graphError } from './errors.ts'
import { linkWith, pageSize } from './items.ts'
import type { User } from './model.ts'
import type { Call } from './route.ts'
import { goneView, selected, viewOf } from './view.ts'

/** Where a list of changes stands. `after`: the id of the last item of the first round; null afterwards. */
type Token = {
  readonly user: string
  readonly after: string | null
  /** How many changes of the account are known to the holder; of the first round at its beginning. */
  readonly known: number
  readonly epoch: number
}

/** Everything that there is, in no order, and later what has changed since. */
export async function delta({ state, exchange, user }: Call): Promise<void> {
  const { searchParams: query } = exchange.url
  const token = tokenOf(query.get('token') ?? query.get('$skiptoken'), user, state.settings.deltaEpoch)
  const shown = (id: string) => {
    const item = user.items.get(id)
    return selected(item ? viewOf(user, item, { inDelta: true }) : goneView(user, id), fieldsOf(query))
  }
  const { ids, next, isLast } =
    token.after === null ? changesAt(user, token, pageSize(query)) : pageAt(user, token, pageSize(query))
  const withParents = exchange.request.headers.deltaexcludeparent === undefined
  const all =
    withParents && token.after === null ? [...new Set([...ids.flatMap((id) => foldersAbove(user, id)), ...ids])] : ids
  const value = state.settings.repeats ? repeated(user, all, shown) : all.map(shown)
  const link = linkWith(exchange.url, 'token', textOf(next))
  await exchange.sendJson(200, { value, [isLast ? '@odata.deltaLink' : '@odata.nextLink']: link })
}

/** What identifies an item cannot be left out. */
function fieldsOf(query: URLSearchParams): string | null {
  const fields = query.get('$select')
  return fields === null ? null : `${fields},id`
}

type Page = { readonly ids: readonly string[]; readonly next: Token; readonly isLast: boolean }

function pageAt(user: User, token: Token, most: number): Page {
  const after = token.after ?? ''
  const rest = [...user.items.keys()].filter((id) => id > after).sort()
  const ids = rest.slice(0, most)
  const isLast = rest.length <= most
  return { ids, next: { ...token, after: isLast ? null : (ids.at(-1) ?? after) }, isLast }
}

function changesAt(user: User, token: Token, most: number): Page {
  const ids: string[] = []
  let known = token.known
  for (; known < user.changes.length && ids.length < most; known += 1) {
    const id = user.changes[known] ?? ''
    if (!ids.includes(id)) ids.push(id)
  }
  return { ids, next: { ...token, known }, isLast: known === user.changes.length }
}

function foldersAbove(user: User, id: string): string[] {
  const parentId = user.items.get(id)?.parentId ?? user.gone.get(id)
  return parentId === undefined || !user.items.has(parentId) ? [] : [...foldersAbove(user, parentId), parentId]
}

/** Each item of a page in an earlier state before, and again at the end. */
function repeated(
  user: User,
  ids: readonly string[],
  shown: (id: string) => Record<string, unknown>,
): Record<string, unknown>[] {
  const earlier = ids
    .filter((id) => user.items.has(id))
    .map((id) => ({ ...shown(id), name: 'an earlier name', eTag: '"old"' }))
  return [...earlier, ...ids.map(shown), ...ids.slice(-1).map(shown)]
}

function tokenOf(text: string | null, user: User, epoch: number): Token {
  const now = { user: user.id, known: user.changes.length, epoch }
  if (text === null) return { ...now, after: '' }
  if (text === 'latest') return { ...now, after: null }
  const token = decoded(text)
  if (token?.user !== user.id) throw graphError(400, 'invalidRequest', 'The token is not valid.')
  if (token.epoch === epoch) return token
  const location = 'https://graph.microsoft.com/v1.0/me/drive/root/delta'
  throw graphError(410, 'resyncChangesApplyDifferences', 'Resync required.', { headers: { location } })
}

const textOf = (token: Token): string => Buffer.from(JSON.stringify(token)).toString('base64url')

function decoded(text: string): Token | null {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Token
  } catch {
    return null
  }
}
