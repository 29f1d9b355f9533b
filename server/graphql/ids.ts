import { InvalidInputError, NotFoundError } from '../domain/errors.ts'
import { type IdType, parsePublicId, publicId } from '../lib/ids.ts'
import { MAX_IDS } from './limits.ts'

/** The types that `node(id:)` can return. */
export type NodeType = Exclude<
  IdType,
  | 'Upload'
  | 'LinkUpload'
  | 'TelegramAccount'
  | 'Activity'
  | 'Invitation'
  | 'DuplicateGroup'
  | 'DuplicateComparison'
  | 'EarlierVersion'
  | 'FileVersion'
>

/** The GraphQL id for a database id; REST uses the same one. */
export function globalIdOf(type: IdType, id: string): string {
  return publicId(type, id)
}

/** The database id of a global id. @throws NotFoundError for anything that is not an id of this type */
export function databaseIdOf(type: IdType, globalId: string): string {
  const parsed = parsePublicId(globalId)
  if (parsed?.type !== type) throw new NotFoundError()
  return parsed.id
}

/** As `databaseIdOf`; undefined for an omitted id. @throws NotFoundError */
export function optionalIdOf(type: IdType, globalId: string | null | undefined): string | undefined {
  return globalId == null ? undefined : databaseIdOf(type, globalId)
}

/** The database ids of a list of global ids, without duplicates. @throws NotFoundError, InvalidInputError for too many */
export function databaseIdsOf(type: IdType, globalIds: readonly string[]): string[] {
  if (globalIds.length > MAX_IDS) {
    throw new InvalidInputError([{ path: 'ids', message: `At most ${MAX_IDS} items can be changed at once.` }])
  }
  return [...new Set(globalIds.map((id) => databaseIdOf(type, id)))]
}
