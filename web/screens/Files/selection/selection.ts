import type { ListSummary } from './filesSummary.ts'

/** Everything in a list, by what the server counted when it was selected: what is not loaded is selected, too. */
export type AllSelection = {
  readonly summary: Promise<ListSummary>
  /** Null until the server has counted. */
  readonly counted: ListSummary | null
  /** Rows that were deselected. */
  readonly except: ReadonlySet<string>
}

/**
 * What is selected, by id, so that it survives sorting and reading again. `anchor` is where a range begins, `focus` the
 * row that the keyboard is on. Every function returns a new value; the order comes from the list.
 */
export type Selection = {
  /** With `all`: the rows among it that were loaded when it began. */
  readonly ids: ReadonlySet<string>
  readonly all: AllSelection | null
  readonly anchor: string | null
  readonly focus: string | null
}

/** What a selection needs from the list. */
export type RowOrder = {
  readonly indexOf: (id: string) => number
  readonly idsBetween: (from: number, to: number) => string[]
}

export const NOTHING: Selection = { ids: new Set(), all: null, anchor: null, focus: null }

/** Whether the row is selected. */
export function has({ ids, all }: Selection, id: string): boolean {
  return all ? !all.except.has(id) : ids.has(id)
}

/** How many are selected; null while the server counts. */
export function countOf({ ids, all }: Selection): number | null {
  if (!all) return ids.size
  return all.counted && Math.max(0, all.counted.count - all.except.size)
}

export function isEmpty(selection: Selection): boolean {
  return selection.all ? countOf(selection) === 0 : selection.ids.size === 0
}

/** Whether these rows represent the whole selection. */
export function isWhole({ ids, all }: Selection, some: readonly string[]): boolean {
  return all !== null && some.length === ids.size && some.every((id) => ids.has(id))
}

function exceptFor(all: AllSelection, id: string, isExcepted: boolean): AllSelection {
  const except = new Set(all.except)
  if (isExcepted) except.add(id)
  else except.delete(id)
  return { ...all, except }
}

export function selectOnly(id: string): Selection {
  return { ids: new Set([id]), all: null, anchor: id, focus: id }
}

export function toggle(selection: Selection, id: string): Selection {
  const isSelected = has(selection, id)
  const ids = new Set(selection.ids)
  if (isSelected) ids.delete(id)
  else ids.add(id)
  return { ids, all: selection.all && exceptFor(selection.all, id, isSelected), anchor: id, focus: id }
}

/** From the anchor to `id`; what was selected before is dropped unless `keep`. */
export function extendTo(selection: Selection, id: string, order: RowOrder, keep = false): Selection {
  const anchor = selection.anchor ?? selection.focus ?? id
  const from = order.indexOf(anchor)
  const to = order.indexOf(id)
  if (from < 0 || to < 0) return selectOnly(id)
  const range = order.idsBetween(from, to)
  return { ids: new Set(keep ? [...selection.ids, ...range] : range), all: null, anchor, focus: id }
}

export function moveFocus(selection: Selection, id: string): Selection {
  return { ...selection, focus: id }
}

export function selectAll(selection: Selection, ids: Iterable<string>): Selection {
  return { ...selection, ids: new Set(ids), all: null }
}

/** Nothing selected; the focus stays where it was. */
export function clear(selection: Selection): Selection {
  return { ids: new Set(), all: null, anchor: null, focus: selection.focus }
}

/** Without rows that are gone. The same object when none of them was selected. */
export function drop(selection: Selection, gone: Iterable<string>): Selection {
  const ids = new Set(selection.ids)
  let isSame = true
  for (const id of gone) if (ids.delete(id)) isSame = false
  return isSame ? selection : { ...selection, ids }
}

/** The focused row has left: `heir`, which is at its index now, gets the focus. Null: the list is empty. */
export function inherit(selection: Selection, gone: string, heir: string | null): Selection {
  if (selection.focus !== gone) return selection
  return { ...drop(selection, [gone]), anchor: heir, focus: heir }
}

/** What a pointer on a row selects: plain, with Ctrl or Cmd (one more or less), with Shift (the range). */
export function pointerSelect(
  selection: Selection,
  id: string,
  keys: { readonly shift: boolean; readonly ctrl: boolean },
  order: RowOrder,
): Selection {
  if (keys.shift) return extendTo(selection, id, order, keys.ctrl)
  return keys.ctrl ? toggle(selection, id) : selectOnly(id)
}

/** The rows that an action on `id` applies to: the selection if it contains `id`, otherwise only `id`. */
export function targetsOf(selection: Selection, id: string): string[] {
  return has(selection, id) ? [...selection.ids] : [id]
}

/** The rows that a keyboard command applies to: the selection, or the focused row when nothing is selected. */
export function commandTargets(selection: Selection): string[] {
  if (selection.ids.size > 0) return [...selection.ids]
  return selection.focus ? [selection.focus] : []
}

/** Everything in the list, and `ids` of it are loaded. */
export function selectWhole(selection: Selection, ids: Iterable<string>, summary: Promise<ListSummary>): Selection {
  return { ...selection, ids: new Set(ids), all: { summary, counted: null, except: new Set() } }
}

/** The server has counted. The same selection when it is another one by now. */
export function counted(selection: Selection, summary: Promise<ListSummary>, result: ListSummary): Selection {
  if (selection.all?.summary !== summary) return selection
  return { ...selection, all: { ...selection.all, counted: result } }
}

/** The tri-state of the header's checkbox: `all` only when nothing in the list is left out, loaded or not. */
export function allState(
  { ids, all }: Selection,
  { count, hasNext }: { readonly count: number; readonly hasNext: boolean },
): 'none' | 'some' | 'all' {
  if (all) return all.except.size === 0 ? 'all' : 'some'
  if (ids.size === 0) return 'none'
  return ids.size >= count && !hasNext ? 'all' : 'some'
}
