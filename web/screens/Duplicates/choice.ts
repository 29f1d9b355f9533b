/** What the choice needs of a file. */
export type ChoiceFile = {
  readonly id: string
  readonly name: string
  readonly updatedAt: string
  readonly account: { readonly id: string } | null | undefined
  readonly rights: { readonly delete: boolean } | null | undefined
  readonly parent: { readonly id: string; readonly name: string } | null | undefined
}

export type ChoiceGroup = {
  readonly id: string
  readonly certainty: string
  readonly size: number
  /** Oldest first. */
  readonly files: readonly ChoiceFile[]
}

/** The file of each selected group that stays. `id`: the account or folder; of files that Skypool stores, POOL. */
export type Rule =
  | { readonly keep: 'OLDEST' | 'NEWEST' }
  | { readonly keep: 'ACCOUNT' | 'FOLDER'; readonly id: string; readonly name: string }

/** Stands for all files that Skypool stores. */
export const POOL = 'POOL'

/** The file that a rule keeps; null where the group has none there, or no rule is chosen. */
export function keptByRule({ files }: ChoiceGroup, rule: Rule | null): string | null {
  if (rule === null) return null
  if (rule.keep === 'OLDEST') return files[0]?.id ?? null
  if (!('id' in rule)) return files.at(-1)?.id ?? null
  const isThere = ({ account, parent }: ChoiceFile) =>
    rule.keep === 'ACCOUNT' ? (account?.id ?? POOL) === rule.id : parent?.id === rule.id
  return files.find(isThere)?.id ?? null
}

/** The user's choice: selected groups, a rule for them, and groups where another file was chosen by hand. */
export type Choice = {
  readonly selected: ReadonlySet<string>
  readonly rule: Rule | null
  readonly byHand: ReadonlyMap<string, string>
}

export const NOTHING: Choice = { selected: new Set(), rule: null, byHand: new Map() }

/** The file of a group that stays; null: nothing happens to the group. */
export function keptIn(group: ChoiceGroup, { selected, rule, byHand }: Choice): string | null {
  if (group.certainty !== 'CERTAIN' || !selected.has(group.id)) return null
  const chosen = byHand.get(group.id)
  return chosen !== undefined && group.files.some(({ id }) => id === chosen) ? chosen : keptByRule(group, rule)
}

/** The files of a group that go to the trash; those that the provider does not allow to delete stay. */
export function goingOf(group: ChoiceGroup, choice: Choice): ChoiceFile[] {
  const kept = keptIn(group, choice)
  return kept === null ? [] : group.files.filter(({ id, rights }) => id !== kept && rights?.delete !== false)
}

export function select({ selected, byHand, ...rest }: Choice, id: string, isSelected: boolean): Choice {
  const next = new Set(selected)
  const chosen = new Map(byHand)
  if (isSelected) next.add(id)
  else {
    next.delete(id)
    chosen.delete(id)
  }
  return { ...rest, selected: next, byHand: chosen }
}

export function keepByHand(choice: Choice, groupId: string, fileId: string): Choice {
  const next = select(choice, groupId, true)
  return { ...next, byHand: new Map(next.byHand).set(groupId, fileId) }
}

/** A rule replaces what was chosen by hand. */
export function withRule(choice: Choice, rule: Rule): Choice {
  return { ...choice, rule, byHand: new Map() }
}
