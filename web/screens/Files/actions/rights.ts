/** What an account allows with an entry in it; null for what Skypool stores itself, with which everything is possible. */
export type RowRights = {
  readonly read: boolean
  readonly rename: boolean
  readonly move: boolean
  readonly delete: boolean
  readonly write: boolean
} | null

type Row = { readonly rights?: RowRights | undefined } | null | undefined

const VERBS = {
  read: 'downloading',
  rename: 'renaming',
  move: 'moving',
  delete: 'deleting',
  write: 'putting anything into',
} as const

/** Whether one of the rows is in an account, under its own name. */
export function isAnyInPlace(rows: readonly Row[]): boolean {
  return rows.some((row) => row?.rights != null)
}

/** Why something is not possible with all of these rows, as a sentence; undefined when it is. */
export function whyNot(rows: readonly Row[], right: keyof typeof VERBS): string | undefined {
  const refused = rows.filter((row) => row?.rights?.[right] === false)
  if (refused.length === 0) return undefined
  const what = rows.length === 1 ? 'it' : `${refused.length} of these`
  return `The connected account does not allow ${VERBS[right]} ${what}.`
}
