import { redo, undo } from '@codemirror/commands'
import { openSearchPanel } from '@codemirror/search'
import {
  Bold,
  Code,
  Heading,
  Image,
  Italic,
  Link,
  List,
  ListTodo,
  type LucideIcon,
  Redo2,
  Table,
  TextQuote,
  TextSearch,
  Undo2,
} from 'lucide-react'
import { Fragment, type ReactNode, type RefObject } from 'react'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './Editor.module.css'
import { FORMATS, type Format } from './formatting.ts'
import { messages } from './messages.ts'
import type { TextView } from './textView.ts'

export type EditorView = 'text' | 'both' | 'preview'

const ICONS: Record<Format, LucideIcon> = {
  heading: Heading,
  bold: Bold,
  italic: Italic,
  list: List,
  tasks: ListTodo,
  quote: TextQuote,
  link: Link,
  image: Image,
  table: Table,
  code: Code,
}
const BEFORE_LINE = new Set<Format>(['italic', 'quote', 'code'])

type Props = {
  readonly isMarkdown: boolean
  readonly isDisabled: boolean
  readonly field: RefObject<TextView | null>
  readonly onFormat: (format: Format) => void
  /** At the end. */
  readonly children: ReactNode
}

/** Above the text, on narrow screens below it: formatting of Markdown, undo, redo and search. */
export function EditorTools({ isMarkdown, isDisabled, field, onFormat, children }: Props) {
  const tool = (label: string, icon: LucideIcon, onClick: () => void, disabled = isDisabled) => (
    <IconButton label={label} icon={icon} disabled={disabled} onClick={onClick} />
  )
  const run = (command: (view: TextView['view']) => boolean) => () => {
    if (!field.current) return
    field.current.view.focus()
    command(field.current.view)
  }
  return (
    <div className={styles.tools} role="toolbar" aria-label={messages.formatting}>
      {isMarkdown &&
        FORMATS.map((format) => (
          <Fragment key={format}>
            {tool(messages.formats[format], ICONS[format], () => onFormat(format))}
            {BEFORE_LINE.has(format) && <span className={styles.line} />}
          </Fragment>
        ))}
      {tool(messages.undo, Undo2, run(undo))}
      {tool(messages.redo, Redo2, run(redo))}
      {tool(messages.find, TextSearch, run(openSearchPanel), false)}
      <span className="grow" />
      {children}
    </div>
  )
}

type ChoiceProps = {
  readonly view: EditorView
  readonly views: readonly EditorView[]
  readonly onView: (view: EditorView) => void
}

export function ViewChoice({ view, views, onView }: ChoiceProps) {
  return (
    <fieldset className={styles.views} aria-label={messages.view}>
      {views.map((each) => (
        <button key={each} type="button" aria-pressed={each === view} onClick={() => onView(each)}>
          {messages.views[each]}
        </button>
      ))}
    </fieldset>
  )
}
