import { DriveError, forbidden, invalid, refusedByPolicy } from '../errors.ts'
import type { DriveFile, Permission, Role } from '../model.ts'
import { type Call, readJson, writableFile } from './call.ts'
import { type Mask, parseFields, project } from './fields.ts'
import { PERMISSION, PERMISSION_LIST } from './shapes.ts'
import { viewPermission } from './view.ts'

const ROLES: readonly Role[] = ['writer', 'commenter', 'reader']
const DEFAULT_FIELDS = 'id,type,kind,role'
const YEAR_MS = 366 * 24 * 3600 * 1000

const maskOf = ({ query }: Call): Mask => parseFields(query.get('fields') || DEFAULT_FIELDS, PERMISSION)

export async function createPermission(call: Call, id: string): Promise<void> {
  const body = await readJson(call)
  const mask = maskOf(call)
  const file = writableFile(call, id)
  const policy = call.exchange.take('policy')
  if (policy) throw refusedByPolicy(policy, 'publishOutNotPermitted')
  const permission = permissionOf(call, body)
  file.permissions = [...file.permissions.filter((other) => other.id !== permission.id), permission]
  call.google.store.touch(file)
  await call.exchange.sendJson(200, project(viewPermission(permission), mask))
}

function permissionOf(call: Call, body: Readonly<Record<string, unknown>>): Permission {
  const { type, emailAddress, domain } = body
  const role = ROLES.find((one) => one === body.role)
  if (!role) throw invalid('permission.role', 'The specified role is invalid or not supported.')
  const expirationTime = expiration(call, body)
  const more = { role, ...(expirationTime !== undefined && { expirationTime }) }
  if (type === 'anyone') {
    const allowFileDiscovery = body.allowFileDiscovery === true
    return { id: allowFileDiscovery ? 'anyone' : 'anyoneWithLink', type, allowFileDiscovery, ...more }
  }
  if (type === 'domain' && typeof domain === 'string')
    return { id: `${domain}k`, type, domain, allowFileDiscovery: false, ...more }
  if ((type !== 'user' && type !== 'group') || typeof emailAddress !== 'string') {
    throw invalid(
      'permission.type',
      'The specified emailAddress, type or domain is invalid or not applicable for the given permission type.',
    )
  }
  const known = call.google.store.users.get(emailAddress)
  const id = known?.permissionId ?? Buffer.from(emailAddress).toString('hex').slice(0, 20)
  return { id, type, emailAddress, displayName: known?.name ?? emailAddress, ...more }
}

/** Only for people, at most a year ahead. */
function expiration(call: Call, { expirationTime, type }: Readonly<Record<string, unknown>>): string | undefined {
  if (expirationTime === undefined || expirationTime === null) return undefined
  const ahead = Date.parse(String(expirationTime)) - call.google.store.clock()
  const isFine = (type === 'user' || type === 'group') && ahead > 0 && ahead <= YEAR_MS
  if (!isFine) throw forbidden('cannotSetExpiration', 'Expiration dates cannot be set on this item.')
  return new Date(String(expirationTime)).toISOString()
}

function found(file: DriveFile, permissionId: string): Permission {
  const permission = file.permissions.find(({ id }) => id === permissionId)
  if (permission) return permission
  const where = { location: 'permissionId', locationType: 'parameter' }
  throw new DriveError(404, 'notFound', `Permission not found: ${permissionId}.`, where)
}

export async function listPermissions(call: Call, id: string): Promise<void> {
  const mask = parseFields(
    call.query.get('fields') || `kind,nextPageToken,permissions(${DEFAULT_FIELDS})`,
    PERMISSION_LIST,
  )
  const { permissions } = writableFile(call, id)
  const value = { kind: 'drive#permissionList', permissions: permissions.map(viewPermission) }
  await call.exchange.sendJson(200, project(value, mask))
}

export async function getPermission(call: Call, id: string, permissionId: string): Promise<void> {
  const permission = found(writableFile(call, id), permissionId)
  await call.exchange.sendJson(200, project(viewPermission(permission), maskOf(call)))
}

export async function updatePermission(call: Call, id: string, permissionId: string): Promise<void> {
  const body = await readJson(call)
  const file = writableFile(call, id)
  const permission = found(file, permissionId)
  const role = ROLES.find((one) => one === body.role)
  if (!role || permission.role === 'owner')
    throw forbidden('invalidSharingRequest', 'The owner of a file cannot be changed this way.')
  const changed = { ...permission, role }
  file.permissions = file.permissions.map((other) => (other === permission ? changed : other))
  call.google.store.touch(file)
  await call.exchange.sendJson(200, project(viewPermission(changed), maskOf(call)))
}

export async function deletePermission(call: Call, id: string, permissionId: string): Promise<void> {
  const file = writableFile(call, id)
  const permission = found(file, permissionId)
  if (permission.role === 'owner')
    throw forbidden('insufficientFilePermissions', 'The owner of a file cannot be removed.')
  // Before, so that who loses the file is told of it.
  call.google.store.touch(file)
  file.permissions = file.permissions.filter((other) => other !== permission)
  await call.exchange.send(204)
}
