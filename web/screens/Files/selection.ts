/**
 * What is selected, by id, so that it survives sorting and reading again. `anchor` is where a range begins, `focus` the
 * row that the keyboard is on. Every function gives a new value; the list stays the judge of order.
 */
export type Selection = {
  readonly ids: ReadonlySet<string>
  readonly anchor: string | null
  readonly focus: string | null
}

/** What a selection must know of the list. */
export type RowOrder = {
  readonly indexOf: (id: string) => number
  readonly idsBetween: (from: number, to: number) => string[]
}

export const NOTHING: Selection = { ids: new Set(), anchor: null, focus: null }

export function selectOnly(id: string): Selection {
  return { ids: new Set([id]), anchor: id, focus: id }
}

export function toggle(selection: Selection, id: string): Selection {
  const ids = new Set(selection.ids)
  if (!ids.delete(id)) ids.add(id)
  return { ids, anchor: id, focus: id }
}

/** From the anchor to `id`; what was selected before is dropped unless `keep`. */
export function extendTo(selection: Selection, id: string, order: RowOrder, keep = false): Selection {
  const anchor = selection.anchor ?? selection.focus ?? id
  const from = order.indexOf(anchor)
  const to = order.indexOf(id)
  if (from < 0 || to < 0) return selectOnly(id)
  const range = order.idsBetween(from, to)
  return { ids: new Set(keep ? [...selection.ids, ...range] : range), anchor, focus: id }
}

export function moveFocus(selection: Selection, id: string): Selection {
  return { ...selection, focus: id }
}

export function selectAll(selection: Selection, ids: Iterable<string>): Selection {
  return { ...selection, ids: new Set(ids) }
}

/** Nothing selected; the focus stays where it was. */
export function clear(selection: Selection): Selection {
  return { ids: new Set(), anchor: null, focus: selection.focus }
}

/** Without rows that are gone. The same object when none of them was selected. */
export function drop(selection: Selection, gone: Iterable<string>): Selection {
  const ids = new Set(selection.ids)
  let isSame = true
  for (const id of gone) if (ids.delete(id)) isSame = false
  return isSame ? selection : { ...selection, ids }
}

/** The row of the keyboard has left: `heir`, which stands in its place now, takes over. Null: the list is empty. */
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

/** The rows an action on `id` means: all that is selected when it is among them, else it alone. */
export function targetsOf(selection: Selection, id: string): string[] {
  return selection.ids.has(id) ? [...selection.ids] : [id]
}

/** The rows a command of the keyboard means: the selection, or the row in focus when nothing is selected. */
export function commandTargets(selection: Selection): string[] {
  if (selection.ids.size > 0) return [...selection.ids]
  return selection.focus ? [selection.focus] : []
}

/** The tri-state of the header's checkbox. */
export function allState(selection: Selection, count: number): 'none' | 'some' | 'all' {
  if (selection.ids.size === 0) return 'none'
  return selection.ids.size >= count ? 'all' : 'some'
}
