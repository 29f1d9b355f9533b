import { type RefObject, useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import { announce } from '../../../lib/announce.ts'
import type { GridLayout } from '../../../lib/gridLayout.ts'
import { isOverlayOpen, isTyping } from '../../../lib/keyboard.ts'
import { toast } from '../../../ui/toast.ts'
import { whyNot } from '../actions/rights.ts'
import type { FileManager } from '../FilesContext.ts'
import { things } from '../messages.ts'
import { folderPath } from '../urlState.ts'
import { type Command, commandOf, moveIndex, type PlainCommand } from './keyboard.ts'
import { clear, commandTargets, extendTo, isEmpty, moveFocus, selectOnly, toggle } from './selection.ts'
import { findByPrefix, TypeAhead } from './typeAhead.ts'
import { openMenu } from './useRowEvents.ts'

type KeyWorld = {
  readonly manager: FileManager
  readonly letters: boolean
  readonly scroller: RefObject<HTMLElement | null>
  /** Set while the grid is shown. */
  readonly grid: GridLayout | null
  readonly focusSearch: () => void
}

/** Commands that work wherever the focus is; all others need the list, or nothing, in focus. */
const EVERYWHERE: readonly PlainCommand[] = ['search', 'shortcuts', 'upload', 'newFolder', 'layout', 'details', 'undo']

/** The keyboard shortcuts of the file manager, while it is mounted. */
export function useFileKeys(world: KeyWorld): void {
  const navigate = useNavigate()
  const { openUploadDialog } = useTransfers()
  const latest = useRef({ world, navigate, openUploadDialog })
  latest.current = { world, navigate, openUploadDialog }
  const typed = useRef(new TypeAhead())
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { manager, letters, scroller } = latest.current.world
      if (event.defaultPrevented || isTyping(event.target) || isOverlayOpen()) return
      const command = commandOf(event, letters, typed.current.isActive(event.timeStamp))
      // The list that the other commands are about is not shown.
      if (manager.isInside && command?.name !== 'search' && command?.name !== 'shortcuts') return
      if (!command || !belongsHere(event, command, scroller.current)) return
      if (command.name === 'type') return typeOn(manager, typed.current.push(command.text, event.timeStamp))
      typed.current.end()
      const isDone = run(command, latest.current)
      if (isDone) event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}

function belongsHere(event: KeyboardEvent, command: Command, scroller: HTMLElement | null): boolean {
  const target = event.target as Element
  // The pane or the empty state has the focus while no row has it.
  const isInList =
    target === document.body || target.matches('[data-list-focus]') || scroller?.contains(target) === true
  if (isInList) return !isControlKey(event)
  return EVERYWHERE.some((name) => name === command.name) && !isTextSelected()
}

function isTextSelected(): boolean {
  return window.getSelection()?.isCollapsed === false
}

/** Enter and Space on a button or link inside a row are the button's own. */
function isControlKey(event: KeyboardEvent): boolean {
  return (event.key === 'Enter' || event.key === ' ') && (event.target as Element).matches('button, a, input')
}

function typeOn(manager: FileManager, text: string): void {
  const { model } = manager.list
  const from = manager.selection.focus === null ? -1 : model.indexOf(manager.selection.focus)
  const index = findByPrefix(text, from, model.count, (at) => model.rowAt(at)?.name)
  const row = model.rowAt(index)
  if (row) manager.setSelection(() => selectOnly(row.id))
}

type Hands = {
  readonly world: KeyWorld
  readonly navigate: (to: string) => unknown
  readonly openUploadDialog: () => void
}

/** @returns false when there was nothing to do and the browser handles the key */
function run(command: Exclude<Command, { name: 'type' }>, hands: Hands): boolean {
  if (command.name === 'move') return move(command, hands.world)
  return runPlain(command.name, hands)
}

function move({ motion, mode }: Extract<Command, { name: 'move' }>, { manager, grid, scroller }: KeyWorld): boolean {
  const { model } = manager.list
  if (model.count === 0) return false
  manager.list.jump = null
  if (motion === 'end' && model.hasNext) return jumpToEnd(manager, mode)
  const { focus } = manager.selection
  const from = focus === null ? -1 : model.indexOf(focus)
  const page = pageLines(scroller.current, grid !== null)
  const next = () => (grid ? grid.move(from, motion, page) : moveIndex(from, motion, model.count, page))
  const first = motion === 'end' ? model.count - 1 : 0
  return goTo(manager, from < 0 ? first : next(), mode)
}

type Mode = Extract<Command, { name: 'move' }>['mode']

function goTo(manager: FileManager, index: number, mode: Mode): boolean {
  const { model } = manager.list
  const id = model.rowAt(index)?.id
  if (id === undefined) return false
  manager.setSelection((selection) => {
    if (mode === 'extend') return extendTo(selection, id, model)
    return mode === 'focus' ? moveFocus(selection, id) : selectOnly(id)
  })
  return true
}

/** Jumps to the last row of the whole list: the rows before it are loaded first, and another key cancels the jump. */
function jumpToEnd(manager: FileManager, mode: Mode): boolean {
  const { list } = manager
  const jump = { to: 'end' }
  list.jump = jump
  announce('Loading the rest of the list')
  void list.loadAll(Number.POSITIVE_INFINITY).then(() => {
    if (list.jump === jump) goTo(manager, list.model.count - 1, mode)
  })
  return true
}

/** The number of lines in a window, minus one that stays visible. */
function pageLines(scroller: HTMLElement | null, isGrid: boolean): number {
  const height = scroller?.clientHeight ?? 400
  const line = scroller?.querySelector<HTMLElement>(isGrid ? '[data-line="files"]' : '[data-id]')
  return Math.max(1, Math.floor(height / (line?.offsetHeight || (isGrid ? 240 : 40))) - 1)
}

function runPlain(name: PlainCommand, { world, navigate, openUploadDialog }: Hands): boolean {
  const { manager, focusSearch } = world
  const { actions, panels, selection, setSelection, view, folder, list } = manager
  const ids = commandTargets(selection)
  const only = ids.length === 1 ? ids[0] : undefined
  const isTrash = view === 'TRASH'
  const needs = (isPossible: boolean, act: () => unknown) => {
    if (isPossible) act()
    return isPossible
  }
  const rows = ids.map((id) => list.model.get(id))
  /** Says why not, if the account of an entry does not allow it. */
  const allowed = (isPossible: boolean, right: 'rename' | 'move' | 'delete', act: () => unknown) => {
    const reason = whyNot(rows, right)
    return needs(isPossible, reason === undefined ? act : () => toast.info(reason))
  }
  const commands: Record<PlainCommand, () => boolean> = {
    toggle: () => needs(selection.focus !== null, () => setSelection((now) => toggle(now, now.focus ?? ''))),
    selectAll: () => needs(list.model.count > 0, manager.selectAll),
    clear: () => stepBack(manager),
    open: () => needs(selection.focus !== null, () => manager.open(selection.focus ?? '')),
    parent: () => needs(folder !== null, () => navigate(folderPath(folder?.path.at(-1)?.id ?? null))),
    rename: () => allowed(only !== undefined && !isTrash, 'rename', () => panels.set({ renaming: only ?? null })),
    trash: () => allowed(ids.length > 0, 'delete', () => (isTrash ? confirmDelete(manager, ids) : actions.trash(ids))),
    deleteForever: () => allowed(ids.length > 0, 'delete', () => confirmDelete(manager, ids)),
    undo: () => needs(true, actions.undo),
    cut: () => allowed(ids.length > 0 && !isTrash, 'move', () => panels.set({ cut: ids, copied: [] })),
    copy: () => needs(ids.length > 0 && !isTrash && !isTextSelected(), () => remember(manager, ids)),
    paste: () => paste(manager),
    star: () =>
      needs(ids.length > 0 && !isTrash, () => actions.star(ids, !ids.every((id) => list.model.get(id)?.starred))),
    tags: () => needs(ids.length > 0 && !isTrash, () => panels.set({ dialog: { kind: 'tags', ids } })),
    details: () => needs(true, () => panels.setDetails(!panels.isDetailsOpen)),
    layout: () => needs(true, () => manager.setLayout(manager.layout === 'list' ? 'grid' : 'list')),
    newFolder: () => needs(view === 'DRIVE' && folder?.canCreate !== false, () => panels.set({ isCreating: true })),
    upload: () => needs(!isTrash, openUploadDialog),
    search: () => needs(true, focusSearch),
    shortcuts: () => needs(true, () => panels.set({ dialog: { kind: 'shortcuts' } })),
    menu: () => needs(true, () => openMenuAtFocus(world)),
  }
  return commands[name]()
}

/** Escape undoes one thing at a time: the selection, what was cut, the details. */
function stepBack({ selection, setSelection, panels }: FileManager): boolean {
  if (!isEmpty(selection)) setSelection(clear)
  else if (panels.cut.length + panels.copied.length > 0) panels.set({ cut: [], copied: [] })
  else if (panels.isDetailsOpen) panels.setDetails(false)
  else return false
  return true
}

function confirmDelete({ panels }: FileManager, ids: readonly string[]): void {
  panels.set({ dialog: { kind: 'delete', ids } })
}

function paste({ panels, actions, view, folder }: FileManager): boolean {
  const { cut, copied } = panels
  if (cut.length + copied.length === 0 || view !== 'DRIVE') return false
  const here = { id: folder?.id ?? null, name: folder?.name ?? 'My Drive' }
  if (cut.length > 0) void actions.move(cut, here)
  else void actions.copy(copied, here)
  // Once: the next Ctrl+V may be meant for files of the desktop.
  panels.set({ cut: [], copied: [] })
  return true
}

/** The list does not show what will be copied, so a toast does. */
function remember({ panels, list }: FileManager, ids: readonly string[]): void {
  panels.set({ copied: ids, cut: [] })
  const title = `${things(ids.map((id) => list.model.get(id)?.name ?? 'a file'))} ready to paste`
  announce(title)
  toast.info(title)
}

function openMenuAtFocus({ manager, scroller }: KeyWorld): void {
  const { focus } = manager.selection
  const row = focus && scroller.current?.querySelector(`[data-id="${CSS.escape(focus)}"]`)
  const box = (row || scroller.current || document.activeElement)?.getBoundingClientRect()
  if (!box) return
  const x = import.meta.env.VITE_DIRECTION === 'rtl' ? box.right - 48 : box.left + 48
  const at = { x, y: box.top + Math.min(box.height, 40) }
  if (row) openMenu(manager, focus, at)
  else manager.panels.set({ menu: { at, ids: [] } })
}
