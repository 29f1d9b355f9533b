/** What the choice needs of a file. */
export type ChoiceFile = {
  readonly id: string
  readonly name: string
  readonly updatedAt: string
  readonly account: { readonly id: string } | null | undefined
  readonly rights: { readonly delete: boolean } | null | undefined
  readonly parent: { readonly id: string; readonly name: string } | null | undefined
  /** The folders above it. */
  readonly path: readonly { readonly id: string }[]
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
  const isThere = ({ account, path }: ChoiceFile) =>
    rule.keep === 'ACCOUNT' ? (account?.id ?? POOL) === rule.id : path.some(({ id }) => id === rule.id)
  return files.find(isThere)?.id ?? null
}

/** The user's choice: selected groups, a rule for them, and groups where another file was chosen by hand. */
export type Choice = {
  /** All certain groups, also those of other pages. */
  readonly all: boolean
  readonly selected: ReadonlySet<string>
  readonly rule: Rule | null
  readonly byHand: ReadonlyMap<string, string>
}

export const NOTHING: Choice = { all: false, selected: new Set(), rule: null, byHand: new Map() }

export function isSelected({ id, certainty }: ChoiceGroup, { all, selected }: Choice): boolean {
  return certainty === 'CERTAIN' && (all || selected.has(id))
}

/** The file of a group that stays; null: nothing happens to the group. */
export function keptIn(group: ChoiceGroup, choice: Choice): string | null {
  const { rule, byHand } = choice
  if (!isSelected(group, choice)) return null
  const chosen = byHand.get(group.id)
  return chosen !== undefined && group.files.some(({ id }) => id === chosen) ? chosen : keptByRule(group, rule)
}

/** The files of a group that go to the trash; those that the provider does not allow to delete stay. */
export function goingOf(group: ChoiceGroup, choice: Choice): ChoiceFile[] {
  const kept = keptIn(group, choice)
  return kept === null ? [] : group.files.filter(({ id, rights }) => id !== kept && rights?.delete !== false)
}

/** Every certain group that there is, whatever was selected before; the rule stays. */
export function selectAll({ rule }: Choice): Choice {
  return { ...NOTHING, all: true, rule }
}

/** The same for the groups that are shown: what is chosen for one of them cannot be said of groups of other pages. */
export function selectShown(choice: Choice, groups: readonly ChoiceGroup[]): Choice {
  if (!choice.all) return choice
  const selected = groups.filter((group) => isSelected(group, choice)).map(({ id }) => id)
  return { ...choice, all: false, selected: new Set(selected) }
}

/** The rule as the server knows it. */
export function ruleInput(rule: Rule): {
  readonly keep: 'OLDEST' | 'NEWEST' | 'POOL' | 'ACCOUNT' | 'FOLDER'
  readonly keepIn: string | null
} {
  if (!('id' in rule)) return { keep: rule.keep, keepIn: null }
  return rule.id === POOL ? { keep: 'POOL', keepIn: null } : { keep: rule.keep, keepIn: rule.id }
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
