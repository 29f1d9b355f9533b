import type { Prisma } from '../../db/generated/prisma/client.ts'
import type { PoolUse } from '../../providers/providers.ts'
import { roomOf } from '../accounts/quotas.ts'
import { sumQuotas } from '../accounts/rows.ts'
import { type FieldError, InvalidInputError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'
import type { GroupCloud } from './contract.ts'

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
