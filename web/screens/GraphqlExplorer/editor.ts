import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { lintKeymap } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { graphql } from 'cm6-graphql'
import { buildSchema } from 'graphql'
import sdl from '../../../schema.graphql?raw'

export type EditorOptions = {
  readonly language: 'graphql' | 'json'
  /** Read out as the name of the field. */
  readonly label: string
  readonly text: string
  readonly readOnly: boolean
  readonly onChange: (text: string) => void
  readonly onRun: () => void
}

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

/** An editor in the shadow root of `host`: its style sheets are constructed there, which the page's policy allows. */
export function createEditor(host: HTMLElement, options: EditorOptions): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  return new EditorView({
    root,
    parent: root,
    state: EditorState.create({ doc: options.text, extensions: extensionsOf(options) }),
  })
}

function extensionsOf({ language, label, readOnly, onChange, onRun }: EditorOptions): Extension[] {
  const run = {
    key: 'Mod-Enter',
    run: () => {
      onRun()
      return true
    },
  }
  return [
    THEME,
    syntaxHighlighting(COLOURS),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    language === 'json' ? json() : graphql(buildSchema(sdl)),
    ...(readOnly ? [EditorState.readOnly.of(true)] : writing(onChange)),
    // Tab leaves the field, so that keyboard users are not trapped in it.
    keymap.of([run, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
  ]
}

function writing(onChange: (text: string) => void): Extension[] {
  return [
    lineNumbers(),
    history(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    highlightActiveLine(),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString())
    }),
  ]
}
