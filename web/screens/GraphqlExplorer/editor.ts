import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { lintKeymap } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { graphql } from 'cm6-graphql'
import { buildSchema } from 'graphql'
import sdl from '../../../schema.graphql?raw'
import { CODE_LOOK } from '../../features/Editor/codeLook.ts'

export type EditorOptions = {
  readonly language: 'graphql' | 'json'
  /** Read out as the name of the field. */
  readonly label: string
  readonly text: string
  readonly readOnly: boolean
  readonly onChange: (text: string) => void
  readonly onRun: () => void
}

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
    CODE_LOOK,
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
