import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { CODE_LOOK } from './codeLook.ts'
import type { Edit } from './formatting.ts'
import { loadLanguage } from './languages.ts'

export type Cursor = { readonly line: number; readonly column: number }

export type TextViewOptions = {
  /** Of the file: its ending says which language it is in. */
  readonly name: string
  /** Read out as the name of the field. */
  readonly label: string
  readonly text: string
  /** Ends of lines stay as they are. */
  readonly hasMixedLines: boolean
  readonly readOnly: boolean
  readonly onChange: (text: string) => void
  readonly onCursor: (cursor: Cursor) => void
}

export type TextView = ReturnType<typeof createTextView>

const LOOK = EditorView.theme({
  // Lines of a text are read from left to right, as programs are, also in a page that is not.
  '.cm-scroller': { direction: 'ltr', lineHeight: '22px', overflow: 'auto' },
  '.cm-content': { padding: '16px 0' },
  '.cm-line': { padding: '0 24px 0 4px' },
  '.cm-gutters': { backgroundColor: 'var(--bg)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '44px', padding: '0 14px 0 8px', fontSize: '12px' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)', color: 'var(--fg)' },
  '.cm-panels': { backgroundColor: 'var(--bg-subtle)', color: 'var(--fg)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { paddingBlock: '8px', paddingInline: '12px 40px', fontFamily: 'var(--font-ui)' },
  '.cm-panel.cm-search [name=close]': {
    top: '8px',
    right: 'auto',
    insetInlineEnd: '12px',
    width: '28px',
    height: '28px',
    color: 'var(--fg)',
  },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    minHeight: '28px',
    margin: '0',
    marginInlineEnd: '8px',
    fontSize: '13px',
  },
  '.cm-panel.cm-search input[type=checkbox]': {
    width: '24px',
    height: '24px',
    margin: '2px 0',
    marginInlineEnd: '6px',
  },
  '.cm-textfield': {
    height: '28px',
    padding: '0 8px',
    border: '1px solid var(--line-control)',
    borderRadius: '4px',
    backgroundColor: 'var(--bg)',
    color: 'var(--fg)',
    font: '13px var(--font-ui)',
  },
  '.cm-button': {
    height: '28px',
    padding: '0 10px',
    border: '1px solid var(--line)',
    borderRadius: '4px',
    backgroundColor: 'var(--raised)',
    backgroundImage: 'none',
    color: 'var(--fg)',
    font: '13px var(--font-ui)',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--warning-soft)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft-2)' },
})

const MARKDOWN_COLOURS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.url], color: 'var(--fg-subtle)' },
  { tag: tags.link, color: 'var(--accent-text)' },
  { tag: tags.monospace, color: 'var(--success-text)' },
])

/** In sentence case, as everywhere. */
const SEARCH_TEXTS = {
  Find: 'Find',
  Replace: 'Replace',
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close search',
} as const

/** A text in the shadow root of `host`: its style sheets are constructed there, which the page's policy allows. */
export function createTextView(host: HTMLElement, options: TextViewOptions) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const [language, access] = [new Compartment(), new Compartment()]
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        language.of([]),
        access.of(accessOf(options.readOnly)),
        // Otherwise line ends of any kind are taken as such, also in what is pasted.
        options.hasMixedLines ? EditorState.lineSeparator.of('\n') : [],
        extensionsOf(options),
      ],
    }),
  })
  loadLanguage(options.name).then(
    (loaded) => loaded && view.dispatch({ effects: language.reconfigure(loaded) }),
    // Without its colours it is still a text.
    (error: unknown) => console.warn('The colours of this language could not be loaded', error),
  )
  return {
    view,
    setReadOnly: (readOnly: boolean) => view.dispatch({ effects: access.reconfigure(accessOf(readOnly)) }),
    /** Puts another text in place of the whole one; undo brings it back. */
    replace(text: string): void {
      const { doc } = view.state
      if (doc.toString() !== text) view.dispatch({ changes: { from: 0, to: doc.length, insert: text } })
    },
    apply({ from, to, insert, anchor, head }: Edit): void {
      view.dispatch({ changes: { from, to, insert }, selection: { anchor, head }, scrollIntoView: true })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

const accessOf = (readOnly: boolean): Extension => EditorState.readOnly.of(readOnly)

function extensionsOf({ label, onChange, onCursor }: TextViewOptions): Extension[] {
  return [
    LOOK,
    CODE_LOOK,
    syntaxHighlighting(MARKDOWN_COLOURS),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', spellcheck: 'true' }),
    lineNumbers(),
    history(),
    indentOnInput(),
    bracketMatching(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    search({ top: true }),
    EditorState.phrases.of(SEARCH_TEXTS),
    // Escape, then Tab leaves the text: CodeMirror sees to that by itself.
    keymap.of([...searchKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
    EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
      if (docChanged) onChange(state.doc.toString())
      if (docChanged || selectionSet) onCursor(cursorOf(state))
    }),
  ]
}

function cursorOf({ doc, selection }: EditorState): Cursor {
  const { head } = selection.main
  const line = doc.lineAt(head)
  return { line: line.number, column: head - line.from + 1 }
}
