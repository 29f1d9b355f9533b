import { MOTIONS, type Motion } from '../../../lib/gridLayout.ts'

/** The command of a key. `mode` of a move: plain selects the new row, extend the range, focus only moves. */
export type Command =
  | { readonly name: 'move'; readonly motion: Motion; readonly mode: 'plain' | 'extend' | 'focus' }
  | { readonly name: 'type'; readonly text: string }
  | { readonly name: PlainCommand }

export type PlainCommand =
  | 'toggle'
  | 'selectAll'
  | 'clear'
  | 'open'
  | 'parent'
  | 'rename'
  | 'trash'
  | 'deleteForever'
  | 'undo'
  | 'cut'
  | 'copy'
  | 'paste'
  | 'star'
  | 'tags'
  | 'details'
  | 'layout'
  | 'newFolder'
  | 'upload'
  | 'search'
  | 'shortcuts'
  | 'menu'

export type KeyPress = {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
  readonly altKey: boolean
}

const PLAIN: Record<string, PlainCommand> = {
  ' ': 'toggle',
  Enter: 'open',
  Escape: 'clear',
  Backspace: 'parent',
  F2: 'rename',
  Delete: 'trash',
  ContextMenu: 'menu',
}

const CTRL: Record<string, PlainCommand> = {
  a: 'selectAll',
  c: 'copy',
  x: 'cut',
  v: 'paste',
  z: 'undo',
  ' ': 'toggle',
}

/** Single characters that are commands; a person can turn them off, then they are part of type-ahead. */
const LETTERS: Record<string, PlainCommand> = {
  s: 'star',
  t: 'tags',
  d: 'details',
  v: 'layout',
  n: 'newFolder',
  u: 'upload',
  x: 'toggle',
  '/': 'search',
  '?': 'shortcuts',
}

/**
 * The command of a key, or null when the key is not ours.
 * @param letters whether single letters are commands
 * @param typing whether a name is being typed: then letters extend it
 */
export function commandOf(press: KeyPress, letters: boolean, typing = false): Command | null {
  const ctrl = press.ctrlKey || press.metaKey
  if (press.altKey) return altCommand(press, ctrl)
  const motion = MOTIONS[press.key]
  if (motion) return moveCommand(motion, press.shiftKey, ctrl)
  if (ctrl) return press.shiftKey ? null : named(CTRL[press.key.toLowerCase()])
  if (press.shiftKey) return shiftCommand(press, letters, typing)
  return characterCommand(press.key, letters, typing)
}

function altCommand(press: KeyPress, ctrl: boolean): Command | null {
  return press.key === 'ArrowUp' && !ctrl && !press.shiftKey ? { name: 'parent' } : null
}

function moveCommand(motion: Motion, shift: boolean, ctrl: boolean): Command {
  if (shift) return { name: 'move', motion, mode: 'extend' }
  return { name: 'move', motion, mode: ctrl ? 'focus' : 'plain' }
}

function shiftCommand(press: KeyPress, letters: boolean, typing: boolean): Command | null {
  if (press.key === 'Delete') return { name: 'deleteForever' }
  if (press.key === 'F10') return { name: 'menu' }
  if (press.key === '?') return characterCommand('?', letters, typing)
  return press.key.length === 1 ? { name: 'type', text: press.key } : null
}

function characterCommand(key: string, letters: boolean, typing: boolean): Command | null {
  if (typing && key.length === 1) return { name: 'type', text: key }
  const plain = PLAIN[key] ?? (letters ? LETTERS[key] : undefined)
  if (plain) return { name: plain }
  return key.length === 1 ? { name: 'type', text: key } : null
}

function named(name: PlainCommand | undefined): Command | null {
  return name ? { name } : null
}

/** The index that a motion leads to in a list of one column. */
export function moveIndex(index: number, motion: Motion, count: number, pageRows: number): number {
  const steps: Record<Motion, number> = {
    up: -1,
    down: 1,
    left: 0,
    right: 0,
    pageUp: -pageRows,
    pageDown: pageRows,
    home: -count,
    end: count,
  }
  return Math.min(count - 1, Math.max(0, index + steps[motion]))
}
