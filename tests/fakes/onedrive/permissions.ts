import { randomBytes } from 'node:crypto'
import { graphError, invalid, notFound } from './errors.ts'
import type { Item, Permission, User } from './model.ts'
import { type Call, itemAt, jsonOf, type Target } from './route.ts'

/** A link; the one that there is already stays as it is, whatever is asked. */
export async function createLink({ state, exchange, user }: Call, target: Target): Promise<void> {
  const { type, scope = 'anonymous', expirationDateTime = null } = await jsonOf(exchange)
  const item = itemAt(user, target)
  if ((type !== 'view' && type !== 'edit') || typeof scope !== 'string')
    throw invalid('The type of the link is not valid.')
  if (scope === 'organization' && user.driveType === 'personal') throw invalid('There is no organization.')
  if (scope === 'anonymous' && user.forbidsLinks) {
    throw graphError(403, 'accessDenied', 'Sharing has been disabled.', { inner: 'sharingDisabled' })
  }
  const known = item.permissions.find((one) => one.type === type && one.scope === scope && isLive(one, state.now()))
  if (known) return exchange.sendJson(200, permissionView(known))
  if (expirationDateTime !== null && !user.canSetExpiry) {
    throw graphError(400, 'invalidRequest', 'The expiration is not supported.', { inner: 'notSupported' })
  }
  if (expirationDateTime !== null && !(Date.parse(String(expirationDateTime)) > state.now()))
    throw invalid('It has passed.')
  const key = randomBytes(14).toString('base64url')
  const host = user.driveType === 'personal' ? 'https://1drv.ms/u/c' : 'https://contoso-my.sharepoint.com/:u:/p'
  const expires = expirationDateTime === null ? null : String(expirationDateTime)
  const made: Permission = { id: key, type, scope, webUrl: `${host}/${user.id}/${key}`, expires }
  item.permissions.push(made)
  await exchange.sendJson(201, permissionView(made))
}

const isLive = ({ expires }: Permission, now: number): boolean => expires === null || Date.parse(expires) > now

function permissionView({ id, type, scope, webUrl, expires }: Permission): object {
  return {
    id,
    roles: [type === 'edit' ? 'write' : 'read'],
    hasPassword: false,
    link: { type, scope, webUrl, preventsDownload: false },
    ...(expires !== null && { expirationDateTime: expires }),
  }
}

/** Also those of the folders above, and the owner's. */
export async function listPermissions({ exchange, user }: Call, target: Target): Promise<void> {
  const item = itemAt(user, target)
  const owner = { id: 'owner', roles: ['owner'], grantedToV2: { user: { id: user.id, displayName: user.name } } }
  const inherited = foldersAbove(user, item).flatMap((folder) =>
    folder.permissions.map((one) => ({
      ...permissionView(one),
      inheritedFrom: { id: folder.id, driveId: user.driveId },
    })),
  )
  await exchange.sendJson(200, { value: [owner, ...item.permissions.map(permissionView), ...inherited] })
}

function foldersAbove(user: User, item: Item): Item[] {
  const parent = user.items.get(item.parentId ?? '')
  return parent ? [parent, ...foldersAbove(user, parent)] : []
}

export async function deletePermission({ exchange, user }: Call, target: Target): Promise<void> {
  const item = itemAt(user, target)
  const id = decodeURIComponent(target.action.slice('permissions/'.length))
  const index = item.permissions.findIndex((one) => one.id === id)
  if (index < 0) throw notFound()
  item.permissions.splice(index, 1)
  await exchange.send(204)
}
