import type { EditorView } from '@codemirror/view'
import { useEffect, useEffectEvent, useRef } from 'react'
import { createEditor, type EditorOptions } from './editor.ts'

type Props = Pick<EditorOptions, 'language' | 'label' | 'text'> &
  Partial<Pick<EditorOptions, 'onChange' | 'onRun'>> & { readOnly?: boolean; className?: string | undefined }

const nothing = () => undefined

/** A field for code. `text` that differs from what stands in it replaces it. */
export function CodeEditor(props: Props) {
  const { language, label, text, readOnly = false, className } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const change = useEffectEvent((next: string) => (props.onChange ?? nothing)(next))
  const run = useEffectEvent(() => (props.onRun ?? nothing)())
  const begin = useEffectEvent((element: HTMLElement) =>
    createEditor(element, { language, label, text, readOnly, onChange: change, onRun: run }),
  )
  useEffect(() => {
    if (!host.current) return
    const editor = begin(host.current)
    view.current = editor
    return () => editor.destroy()
  }, [])
  useEffect(() => {
    const doc = view.current?.state.doc
    if (!doc || doc.toString() === text) return
    view.current?.dispatch({ changes: { from: 0, to: doc.length, insert: text } })
  }, [text])
  return <div ref={host} className={className} />
}
