import { hash } from 'node:crypto'
import { type DomainError, PreconditionFailedError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { EachAction, File, FilePatch, LabelColor, OnConflict } from '../contract.ts'
import {
  type Ancestor,
  ancestry,
  type Change,
  chainOf,
  folderInAccount,
  isLiveFolder,
  lockEntries,
  noSuchFolder,
} from './change.ts'
import { getFiles, requireFile } from './entries.ts'
import { validateName } from './names.ts'

/**
 * One change of one entry. Waiting steps of the same user run together: each has its own outcome, and the result is the
 * same as if they had run one after the other, in some order. `name` has been validated.
 */
export type Step = Condition & Work

/** The entry must have one of these ETags, otherwise the step is refused. Undefined: no condition. */
export type Condition = { readonly ifMatch?: readonly string[] | undefined }

type Work =
  | { readonly kind: 'CREATE'; readonly id: string; readonly name: string; readonly parentId: string | null }
  | { readonly kind: 'RENAME'; readonly id: string; readonly name: string }
  | {
      readonly kind: 'MOVE'
      readonly id: string
      readonly parentId: string | null
      /** REPLACE: all steps have the same folder. */
      readonly onConflict: OnConflict
      /** Undefined: it keeps its own. */
      readonly groupCloudId?: string | undefined
    }
  | { readonly kind: 'ASSIGN'; readonly id: string; readonly groupCloudId: string }
  | { readonly kind: 'STAR'; readonly id: string; readonly starred: boolean }
  | ({ readonly kind: 'TAG'; readonly id: string } & TagChange)
  | { readonly kind: 'COLOR'; readonly id: string; readonly color: LabelColor | null }
  | { readonly kind: 'TRASH' | 'RESTORE' | 'REMOVE' | 'DISCARD'; readonly id: string }

/**
 * Changes an entry in an account: at its provider first, then here. Does nothing if it is so already. Resolves with the entry, null
 * when it was deleted. @throws DomainError: nothing was changed, or it is not known
 */
export type ChangeInPlace = (viewer: Pick<Viewer, 'userId'>, step: Step) => Promise<File | null>

export type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>

/** The refused steps and their errors; all others are done. */
export type Refusals = Map<Step, DomainError>

/** Tags to put on an entry, and tags to take off it. */
export type TagChange = { readonly addIds: readonly string[]; readonly removeIds: readonly string[] }

/** Whether it changes what only Skypool has about an entry, also of one in an account. */
export function isOurs(step: Step): step is StepOf<'STAR' | 'TAG' | 'COLOR'> {
  return step.kind === 'STAR' || step.kind === 'TAG' || step.kind === 'COLOR'
}

export const idsOf = (steps: readonly Step[]) => steps.map(({ id }) => id)

export function stepOf(id: string, action: EachAction): Step {
  return action.kind === 'MOVE' ? { ...action, id, onConflict: action.onConflict ?? 'RENAME' } : { ...action, id }
}

/** The steps that a patch consists of, in the order of updateEntry. Only the first one has the condition. */
export function stepsOfPatch(id: string, patch: FilePatch, ifMatch: Condition['ifMatch']): Step[] {
  const { name, parentId, starred, trashed, groupCloudId } = patch
  const steps: Step[] = []
  if (trashed === false) steps.push({ kind: 'RESTORE', id })
  if (parentId !== undefined) steps.push({ kind: 'MOVE', id, parentId, onConflict: 'RENAME' })
  if (name !== undefined) steps.push({ kind: 'RENAME', id, name: validateName(name) })
  if (starred !== undefined) steps.push({ kind: 'STAR', id, starred })
  if (groupCloudId !== undefined) steps.push({ kind: 'ASSIGN', id, groupCloudId })
  if (trashed === true) steps.push({ kind: 'TRASH', id })
  return steps.map((step, index) => (index === 0 ? { ...step, ifMatch } : step))
}

/** Refuses the steps whose entry does not have one of the expected ETags. */
export async function refuseChanged(change: Change, steps: readonly Step[], refusals: Refusals): Promise<void> {
  const conditional = steps.filter((step) => step.ifMatch !== undefined && !refusals.has(step))
  if (conditional.length === 0) return
  const files = await getFiles(change.tx, change, idsOf(conditional))
  for (const [index, step] of conditional.entries()) {
    const file = files[index]
    if (file && !step.ifMatch?.includes(etagOf(file))) refusals.set(step, new PreconditionFailedError())
  }
}

/** Locks the entry. @throws NotFoundError, PreconditionFailedError */
export async function requireMatch(change: Change, id: string, ifMatch: Condition['ifMatch']): Promise<void> {
  if (ifMatch === undefined) return
  await lockEntries(change, [id])
  const file = await requireFile(change.tx, change, id)
  if (!ifMatch.includes(etagOf(file))) throw new PreconditionFailedError()
}

/** Bytes of the digest that are used: enough that two states of an entry never share an ETag. */
const BYTES = 15

/**
 * The entity tag (RFC 9110 8.8.3) of the properties that people and programs change: name, parent folder, star, group
 * cloud and content. The state of its copies, its shares and the content of a folder are not part of it, so that only a
 * change by another user or process fails a precondition.
 */
export function etagOf(file: File): string {
  const { id, name, parentId, starred, trashedAt, groupCloudId, sha256, size, accountId } = file
  const parts: unknown[] = [id, name, parentId, starred, trashedAt?.getTime(), groupCloudId, sha256, size]
  // Of a file in an account, only its time tells that the content was replaced.
  if (accountId !== null) parts.push(file.updatedAt.getTime())
  const digest = hash('sha256', JSON.stringify(parts), 'buffer')
  return `"${digest.subarray(0, BYTES).toString('base64url')}"`
}

/** The target folders of steps, the entries `ids`, and all folders above them. */
export function foldersAbove(
  change: Change,
  steps: readonly { readonly parentId: string | null }[],
  ids: readonly string[] = [],
) {
  const all = new Set([...ids, ...steps.flatMap(({ parentId }) => parentId ?? [])])
  return all.size === 0 ? new Map<string, Ancestor>() : ancestry(change, [...all])
}

/** Whether the step's folder exists and is live; refuses the step otherwise. */
export function isOpen(
  ancestors: ReadonlyMap<string, Ancestor>,
  step: StepOf<'CREATE' | 'MOVE'>,
  refusals: Refusals,
): boolean {
  if (step.parentId === null) return true
  const chain = chainOf(ancestors, step.parentId)
  if (isLiveFolder(chain) && !chain[0]?.inPlace) return true
  refusals.set(step, isLiveFolder(chain) ? folderInAccount() : noSuchFolder())
  return false
}
