import type { Item, User } from './model.ts'
import { childrenOf, cTagOf, eTagOf, pathOf, sizeOf } from './tree.ts'

const SITES = { personal: 'https://onedrive.live.com', business: 'https://contoso-my.sharepoint.com' } as const

/** An item as Graph describes it. `inDelta`: lists of changes have no paths, and of organisations no cTags. */
export function viewOf(user: User, item: Item, { inDelta = false } = {}): Record<string, unknown> {
  const path = pathOf(user, item)
  return {
    id: item.id,
    name: item.name,
    size: item.kind === 'folder' ? folderSize(user, item) : sizeOf(item),
    eTag: eTagOf(item),
    ...(!(inDelta && user.driveType === 'business') && { cTag: cTagOf(item) }),
    createdDateTime: timestamp(item.created),
    lastModifiedDateTime: timestamp(item.modified),
    webUrl: `${SITES[user.driveType]}/${user.driveId}${path.split('/').map(encodeURIComponent).join('/') || '/'}`,
    createdBy: { user: { id: user.id, displayName: user.name } },
    lastModifiedBy: { user: { id: user.id, displayName: user.name } },
    parentReference: parentOf(user, item, inDelta),
    fileSystemInfo: {
      createdDateTime: item.ownTimes.createdDateTime ?? timestamp(item.created),
      lastModifiedDateTime: item.ownTimes.lastModifiedDateTime ?? timestamp(item.modified),
    },
    ...facetsOf(user, item),
  }
}

function facetsOf(user: User, item: Item): Record<string, unknown> {
  if (item.kind === 'folder') {
    return { folder: { childCount: childrenOf(user, item.id).length }, ...(item.parentId === null && { root: {} }) }
  }
  if (item.kind === 'package') return { package: { type: 'oneNote' } }
  if (item.kind === 'remote') {
    const parentReference = { driveId: 'A0B1C2D3E4F50617', driveType: user.driveType }
    return { remoteItem: { id: 'A0B1C2D3E4F50617!7', name: item.name, folder: { childCount: 3 }, parentReference } }
  }
  return { file: { mimeType: item.mimeType, hashes: { quickXorHash: item.content?.quickXor } } }
}

function parentOf(user: User, item: Item, inDelta: boolean): Record<string, unknown> {
  const drive = { driveId: user.driveId, driveType: user.driveType }
  const parent = user.items.get(item.parentId ?? '')
  if (!parent) return drive
  const encoded = pathOf(user, parent).split('/').map(encodeURIComponent).join('/')
  return { ...drive, id: parent.id, ...(!inDelta && { path: `/drive/root:${encoded}` }) }
}

function folderSize(user: User, item: Item): number {
  return childrenOf(user, item.id).reduce(
    (sum, child) => sum + (child.kind === 'folder' ? folderSize(user, child) : sizeOf(child)),
    0,
  )
}

/** What is left of a deleted item in a list of changes. */
export function goneView(user: User, id: string): Record<string, unknown> {
  const { driveId, driveType } = user
  return { id, deleted: { state: 'deleted' }, parentReference: { driveId, driveType, id: user.gone.get(id) } }
}

/** Only the fields that `$select` names. */
export function selected(view: Record<string, unknown>, fields: string | null): Record<string, unknown> {
  if (fields === null) return view
  const wanted = new Set(fields.split(','))
  return Object.fromEntries(Object.entries(view).filter(([name]) => wanted.has(name)))
}

const timestamp = (ms: number): string => new Date(ms).toISOString()
