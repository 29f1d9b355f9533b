import type { Pool } from 'pg'
import type { Prisma } from '../../db/generated/prisma/client.ts'
import type { PoolUse } from '../../providers/providers.ts'
import type { Quota } from '../accounts/contract.ts'
import { roomOf } from '../accounts/quotas.ts'
import { sumQuotas } from '../accounts/rows.ts'
import { type FieldError, InvalidInputError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'

export type PlacementRule = 'MOST_FREE' | 'IN_ORDER' | 'ROUND_ROBIN'

export type GroupCloudMember = {
  readonly accountId: string
  readonly position: number
  readonly keepFreeBytes: number
  /** Gets no new files; its files move to the other members, then it is removed. */
  readonly draining: boolean
  /** It may hold the only copy of a file, although its provider is meant for extra copies. */
  readonly allowOnlyCopy: boolean
}

export type GroupCloud = {
  readonly id: string
  readonly name: string
  readonly defaultUploadGroup: boolean
  readonly placement: PlacementRule
  readonly copies: number
  readonly spanning: boolean
  readonly members: readonly GroupCloudMember[]
  /** Sum of the known quotas of its members, without expired ones. */
  readonly quota: Quota
  readonly createdAt: Date
}

export type GroupCloudHealth = {
  readonly files: number
  readonly bytes: number
  /** Files that cannot be read completely now, or have fewer copies than configured and none being sent. */
  readonly atRiskFiles: number
  /** Files with a copy that is being sent. */
  readonly storingFiles: number
  /** One sentence for people. */
  readonly summary: string
}

/** Where a file of a given size would be placed now. */
export type PlacementPreview = {
  readonly placed: boolean
  /** A message: the accounts, each with the reason. */
  readonly why: string
  /** Per copy, its accounts in the order of their pieces. */
  readonly copies: readonly { readonly pieces: readonly { readonly accountId: string; readonly size: number }[] }[]
}

export type GroupCloudInput = {
  readonly name: string
  readonly accountIds?: readonly string[] | undefined
  readonly placement?: PlacementRule | undefined
  readonly copies?: number | undefined
  readonly spanning?: boolean | undefined
  readonly defaultUploadGroup?: boolean | undefined
  /** Members that may hold the only copy of a file although their provider is meant for extra copies; replaces the list. */
  readonly allowOnlyCopy?: readonly string[] | undefined
}

/** Undefined fields stay unchanged. */
export type GroupCloudPatch = { readonly [Field in keyof GroupCloudInput]?: GroupCloudInput[Field] | undefined } & {
  /** By account; other accounts keep theirs. */
  readonly keepFreeBytes?: Readonly<Record<string, number>> | undefined
}

/** What happens to the files of a deleted group cloud. */
export type FilesOfDeleted = { readonly moveTo: string } | 'TRASH'

export interface GroupCloudsService {
  /** Default first, then by name. */
  list(viewer: Viewer): Promise<GroupCloud[]>
  /** In the order of `ids`; null for what is not the viewer's. */
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(GroupCloud | null)[]>
  /**
   * Without accountIds all accounts of the viewer that may be members become members. One member must be able to hold the only copy of a
   * file. @throws InvalidInputError, NotFoundError, NameTakenError
   */
  create(viewer: Viewer, input: GroupCloudInput, idempotencyKey?: string): Promise<GroupCloud>
  /**
   * A new default replaces the former one in the same transaction. `accountIds` is the new order of members; leaving out one that
   * holds files of this group cloud is a ConflictError: drain it first. After a change of `copies`, missing copies are made and
   * surplus ones removed in the background. @throws as create, ConflictError
   */
  update(viewer: Viewer, id: string, patch: GroupCloudPatch): Promise<GroupCloud>
  /** Starts (or, false, stops) moving the files of a member to the others; it is removed once it is empty. @throws NotFoundError, ConflictError when it is the last one */
  drain(viewer: Viewer, id: string, accountId: string, draining: boolean): Promise<GroupCloud>
  /**
   * @throws NotFoundError, ConflictError for the default one, the last one, and one that still holds files when `files` is not given,
   * IdempotencyKeyReusedError
   */
  remove(viewer: Viewer, id: string, files?: FilesOfDeleted, idempotencyKey?: string): Promise<void>
  /** By id, without files in Trash; ids that are not the viewer's are absent. */
  health(viewer: Viewer, ids: readonly string[]): Promise<Map<string, GroupCloudHealth>>
  /** `quota.freeBytes` as it would be with the account as a member. @throws NotFoundError */
  roomWith(viewer: Viewer, id: string, accountId: string): Promise<number | null>
  /** @throws NotFoundError */
  previewPlacement(viewer: Viewer, id: string, size: number): Promise<PlacementPreview>
  /** In the order of `questions`, by a constant number of statements; null for what is not the viewer's. */
  previewPlacements(
    viewer: Viewer,
    questions: readonly { readonly id: string; readonly size: number }[],
  ): Promise<(PlacementPreview | null)[]>
}

/** Prisma filter: the group clouds of the viewer. */
export const visibleTo = (viewer: Viewer) => ({ userId: viewer.userId }) satisfies Prisma.GroupCloudWhereInput

/** Prisma include of every query for a group cloud: its connected members in order. */
export const WITH_MEMBERS = {
  members: { where: { account: { disconnectedAt: null } }, orderBy: { position: 'asc' }, include: { account: true } },
} satisfies Prisma.GroupCloudInclude

export type GroupCloudRow = Prisma.GroupCloudGetPayload<{ include: typeof WITH_MEMBERS }>

const BY_NAME = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

export function toGroupCloud({ members, ...row }: GroupCloudRow): GroupCloud {
  const { id, name, defaultUploadGroup, placement, copies, spanning, createdAt } = row
  return {
    id,
    name,
    defaultUploadGroup,
    placement,
    copies,
    spanning,
    createdAt,
    members: members.map(({ accountId, position, keepFreeBytes, draining, allowOnlyCopy }) => ({
      accountId,
      position,
      keepFreeBytes: Number(keepFreeBytes),
      draining,
      allowOnlyCopy,
    })),
    quota: { ...sumQuotas(members.map(({ account }) => account)), freeBytes: roomOf({ copies, members }) },
  }
}

type Listed = Pick<GroupCloud, 'defaultUploadGroup' | 'name'>

/** Compares for lists: the default first, then by name, numbers in names by value. */
export function inListOrder(a: Listed, b: Listed): number {
  return Number(b.defaultUploadGroup) - Number(a.defaultUploadGroup) || BY_NAME.compare(a.name, b.name)
}

const LONGEST_NAME = 100
const MOST_COPIES = 3
/** Keeps planning fast and the pieces of spanned files reasonably large. */
const MOST_MEMBERS = 100

/** Names of one user's group clouds must differ in this key. */
export function groupCloudNameKey(name: string): string {
  return name.trim().normalize('NFKC').toLowerCase()
}

/** The name as it is stored. @throws InvalidInputError */
export function checkedName(name: string): string {
  const trimmed = name.trim().normalize('NFC')
  const message = nameProblem(trimmed)
  if (message) throw new InvalidInputError([{ path: 'name', message }])
  return trimmed
}

function nameProblem(name: string): string | null {
  if (name === '') return 'Please give the group cloud a name.'
  if ([...name].length > LONGEST_NAME) return `A name can have at most ${LONGEST_NAME} characters.`
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'A name cannot contain control characters.' : null
}

/** There must be a member for each copy: copies never share an account, and draining members get none. @throws InvalidInputError */
export function checkMembers(accountIds: readonly string[], copies: number, draining = new Set<string>()): void {
  const errors: FieldError[] = []
  if (accountIds.length === 0) errors.push({ path: 'accountIds', message: 'A group cloud needs at least one account.' })
  if (new Set(accountIds).size !== accountIds.length) {
    errors.push({ path: 'accountIds', message: 'Each account can be in a group cloud once.' })
  }
  if (accountIds.length > MOST_MEMBERS) {
    errors.push({ path: 'accountIds', message: `A group cloud can have at most ${MOST_MEMBERS} accounts.` })
  }
  if (!Number.isInteger(copies) || copies < 1 || copies > MOST_COPIES) {
    errors.push({ path: 'copies', message: `A file can have 1 to ${MOST_COPIES} copies.` })
  } else if (accountIds.length > 0 && copies > accountIds.filter((id) => !draining.has(id)).length) {
    errors.push({
      path: 'copies',
      message: 'Each copy needs a separate account: there are fewer accounts than copies.',
    })
  }
  if (errors.length > 0) throw new InvalidInputError(errors)
}

export type MemberUse = {
  readonly id: string
  readonly name: string
  readonly provider: string
  readonly poolUse: PoolUse
}

/**
 * Accounts of some providers cannot be members, and those for extra copies need another one in addition unless they are `allowed` to hold
 * the only copy. `reasonOf` a provider: a sentence for people. @throws InvalidInputError
 */
export function checkPoolUses(
  accounts: readonly MemberUse[],
  allowed: ReadonlySet<string>,
  reasonOf: (provider: string) => string | null,
): void {
  const refused = accounts.find(({ poolUse }) => poolUse === 'NONE')
  if (refused) {
    const message = [`“${refused.name}” cannot be in a group cloud.`, reasonOf(refused.provider)]
      .filter(Boolean)
      .join(' ')
    throw new InvalidInputError([{ path: 'accountIds', message }])
  }
  if (accounts.length === 0 || accounts.some(({ id, poolUse }) => poolUse === 'FULL' || allowed.has(id))) return
  const [first] = accounts
  const why = first && reasonOf(first.provider)
  const message = [
    `“${first?.name}” takes only extra copies: the group cloud needs another account for the first copy of each file.`,
    why,
  ]
  throw new InvalidInputError([{ path: 'accountIds', message: message.filter(Boolean).join(' ') }])
}

/** @throws InvalidInputError */
export function checkKeepFree(bytes: readonly number[]): void {
  if (bytes.every(isSize)) return
  const message = 'What is kept free is a whole number of bytes.'
  throw new InvalidInputError([{ path: 'keepFreeBytes', message }])
}

/** @throws InvalidInputError */
export function checkedSize(size: number): number {
  if (isSize(size)) return size
  throw new InvalidInputError([{ path: 'size', message: 'A size is a whole number of bytes.' }])
}

function isSize(bytes: number): boolean {
  return Number.isSafeInteger(bytes) && bytes >= 0
}

/** Index-only: files_counted_of_group_cloud contains all columns that are counted, so no row of a file is read. */
export const HEALTH = {
  name: 'group-clouds-health',
  text: `select g.id, g.copies, f.files, f.bytes::float8 as bytes, f.at_risk, f.storing, m.members, m.lost
    from group_clouds g
    cross join lateral (
      select count(*)::int as files, coalesce(sum(size), 0) as bytes, count(*) filter (where state = 'AT_RISK')::int as at_risk,
        count(*) filter (where state in ('RECEIVED', 'STORING'))::int as storing
      from files where group_cloud_id = g.id and kind = 'FILE' and trash_root_id is null and purged_at is null
    ) f
    cross join lateral (
      select count(*)::int as members, coalesce(array_agg(a.name order by m.position)
        filter (where a.status <> 'CONNECTED' or a.unreachable_since is not null), '{}') as lost
      from group_cloud_members m join accounts a on a.id = m.account_id and a.disconnected_at is null
      where m.group_cloud_id = g.id
    ) m
    where g.id = any($1::uuid[]) and g.user_id = $2`,
}

type Row = {
  readonly id: string
  readonly copies: number
  readonly files: number
  readonly bytes: number
  readonly at_risk: number
  readonly storing: number
  readonly members: number
  /** Names of the members that cannot be used now. */
  readonly lost: readonly string[]
}

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** By id. Files in Trash do not count. Group clouds that are not the viewer's are left out. */
export async function readHealth(
  pool: Pool,
  viewer: Viewer,
  ids: readonly string[],
): Promise<Map<string, GroupCloudHealth>> {
  const { rows } = await pool.query<Row>({ ...HEALTH, values: [ids, viewer.userId] })
  return new Map(
    rows.map((row) => {
      const { files, bytes, at_risk: atRiskFiles, storing: storingFiles } = row
      return [row.id, { files, bytes, atRiskFiles, storingFiles, summary: summaryOf(row) }]
    }),
  )
}

/** The most urgent fact only. */
function summaryOf(row: Row): string {
  const { files, at_risk: atRisk, storing, members, lost, copies } = row
  if (members === 0) return 'This group cloud has no accounts. Please add one to it.'
  const names = LIST.format(lost.map((name) => `“${name}”`))
  if (atRisk > 0) {
    const cause = lost.length > 0 ? `: ${names} cannot be used now` : ''
    return `${partOf(atRisk, files)} at risk${cause}.`
  }
  if (lost.length > 0) return `${names} cannot be used now. ${files > 0 ? 'No file is at risk.' : 'No files yet.'}`
  if (files === 0) return 'No files yet.'
  if (storing > 0) return `${partOf(storing, files)} still being stored.`
  const what = files === 1 ? 'The only file is stored' : `All ${count(files)} files are stored`
  return copies === 1 ? `${what}.` : `${what} in ${copies} copies.`
}

/** "1 of 12 files is", "The only file is", "All 12 files are" */
function partOf(part: number, all: number): string {
  if (all === 1) return 'The only file is'
  if (part === all) return `All ${count(all)} files are`
  return `${count(part)} of ${count(all)} files ${part === 1 ? 'is' : 'are'}`
}

function count(files: number): string {
  return files.toLocaleString('en-GB')
}
