import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The page's own colours, which reach into the shadow root: light and dark need no second theme. */
const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--fg)', backgroundColor: 'var(--bg)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--fg)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft-2)' },
  '.cm-gutters': { backgroundColor: 'var(--bg-subtle)', color: 'var(--fg-subtle)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--overlay)',
    color: 'var(--fg)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    boxShadow: 'var(--elev-float)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
})

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent-text)', fontWeight: '500' },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--fg)' },
  { tag: [tags.string, tags.number, tags.bool, tags.null, tags.atom], color: 'var(--success-text)' },
  { tag: [tags.variableName, tags.definition(tags.variableName)], color: 'var(--warning-text)' },
  { tag: tags.comment, color: 'var(--fg-subtle)' },
  { tag: [tags.typeName, tags.className], color: 'var(--accent-text)' },
])

/** Colours and measures of every field for code. */
export const CODE_LOOK: Extension = [THEME, syntaxHighlighting(COLOURS)]
