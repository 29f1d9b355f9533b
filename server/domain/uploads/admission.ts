import type { ClientBase, Pool } from 'pg'
import { InvalidInputError, NotFoundError } from '../errors.ts'
import { checkExtension } from '../files/content/types.ts'
import type { OnConflict } from '../files/contract.ts'
import { validateName } from '../files/tree/names.ts'
import { roomBytes } from '../groupClouds/placement.ts'
import type { Viewer } from '../viewer.ts'
import type { NewUpload } from './contract.ts'
import { type FindGroupCloud, place, type SingleAccount } from './placing.ts'

/** An upload that may begin. Everything is checked again when it is committed. */
export type Admission = {
  readonly name: string
  readonly groupCloudId: string
  readonly parentId: string | null
  readonly onConflict: OnConflict
  /** More bytes than this have no room now. */
  readonly roomBytes: number
  /** The group cloud has accounts at providers. */
  readonly remote: boolean
  /** The group cloud as it was found, where that is one account of this server and one copy; null: anything else. */
  readonly singleAccount: SingleAccount | null
}

export type AdmissionDeps = {
  readonly pool: Pool
  readonly findGroupCloud: FindGroupCloud
  /** true: UPLOAD_TYPES=*. */
  readonly anyType: boolean
}

/**
 * What can be refused before the first byte is refused here: name, extension, folder, group cloud, declared size. With a group
 * cloud that is recalled, nobody is asked for it.
 * @throws InvalidInputError, TypeRefusedError, NotFoundError, StorageFullError
 */
export async function admit(
  { pool, findGroupCloud, anyType }: AdmissionDeps,
  viewer: Viewer,
  input: NewUpload,
  recalled: SingleAccount | null = null,
): Promise<Admission> {
  const name = input.isPart ? '' : validateName(input.name)
  if (!anyType && !input.isPart) checkExtension(name)
  checkSize(input.size)
  const parentId = input.parentId ?? null
  await checkParent(pool, viewer, parentId)
  const groupCloud = recalled?.groupCloud ?? (await findGroupCloud({ userId: viewer.userId, id: input.groupCloudId }))
  place(groupCloud, input.size ?? 0, input.size ?? input.atMostBytes)
  const { groupCloudId, members } = groupCloud
  const onConflict = input.onConflict ?? 'RENAME'
  const remote = members.some(({ provider }) => provider !== 'local')
  const isSingleAccount = members.length === 1 && !remote && groupCloud.copies === 1
  const found = { groupCloud, asDefault: input.groupCloudId === undefined, recalled: false }
  const singleAccount = recalled ?? (isSingleAccount ? found : null)
  return { name, groupCloudId, parentId, onConflict, roomBytes: roomBytes(members, groupCloud), remote, singleAccount }
}

function checkSize(size: number | null): void {
  if (size === null || (Number.isSafeInteger(size) && size >= 0)) return
  throw new InvalidInputError([{ path: 'size', message: 'A size is a whole number of bytes.' }])
}

async function checkParent(pool: Pool, viewer: Viewer, parentId: string | null): Promise<void> {
  if (parentId === null) return
  const owner = (await liveFolders(pool, [parentId])).get(parentId)
  if (owner !== viewer.userId)
    throw new NotFoundError('This folder does not exist any more. Please choose another one.')
}

const LOCK = `select id from files where id = any($1::uuid[]) and kind = 'FOLDER' order by id for no key update`

/** Up from each folder: it is live when nothing at or above it is in the trash or deleted. */
const LIVE = `with recursive up as (
    select id as folder_id, user_id, parent_id, trashed_at is null and purged_at is null as live from files
    where id = any($1::uuid[]) and kind = 'FOLDER'
    union all
    select up.folder_id, up.user_id, f.parent_id, f.trashed_at is null and f.purged_at is null
    from up join files f on f.id = up.parent_id where up.live
  )
  select folder_id, min(user_id::text) as user_id from up group by folder_id having bool_and(live)`

type Folder = { folder_id: string; user_id: string }

/** Which of the folders are live, each with its owner. */
async function liveFolders(client: Pick<ClientBase, 'query'>, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<Folder>(LIVE, [ids])
  return new Map(rows.map((row) => [row.folder_id, row.user_id]))
}

/** The same, held until the transaction ends: none of them can be trashed before. */
export async function lockLiveFolders(client: ClientBase, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  await client.query(LOCK, [ids])
  return liveFolders(client, ids)
}
