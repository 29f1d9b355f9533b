import type { Pool } from 'pg'
import { InvalidInputError, NotFoundError } from '../errors.ts'
import { validateName } from '../files/names.ts'
import { checkExtension } from '../files/types.ts'
import { roomBytes } from '../groupClouds/placement.ts'
import type { NewUpload, OnConflict } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { liveFolders } from './liveFolders.ts'
import { type FindGroupCloud, place } from './pools.ts'
import type { Sole } from './soleGroupClouds.ts'

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
  readonly sole: Sole | null
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
  recalled: Sole | null = null,
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
  const isSole = members.length === 1 && !remote && groupCloud.copies === 1
  const found = { groupCloud, asDefault: input.groupCloudId === undefined, recalled: false }
  const sole = recalled ?? (isSole ? found : null)
  return { name, groupCloudId, parentId, onConflict, roomBytes: roomBytes(members, groupCloud), remote, sole }
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
