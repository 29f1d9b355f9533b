import { Suspense, useDeferredValue, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { cx } from '../../lib/cx.ts'
import { late } from '../../lib/lateCode.ts'
import { nameText } from '../../lib/nameText.ts'
import { useIsMobile } from '../../lib/useMediaQuery.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { toast } from '../../ui/toast.ts'
import { CodeText } from './CodeText.tsx'
import { CompareMine } from './CompareMine.tsx'
import styles from './Editor.module.css'
import { EditorFoot } from './EditorFoot.tsx'
import { type EditorProps, EditorWaiting, Frame } from './EditorFrame.tsx'
import { EditorHead } from './EditorHead.tsx'
import { EditorNotices } from './EditorNotices.tsx'
import { EditorTools, type EditorView, ViewChoice } from './EditorTools.tsx'
import type { EditedFile, Editing } from './editing.ts'
import { formatText } from './formatting.ts'
import { LeaveDialog } from './LeaveDialog.tsx'
import { copyName, messages } from './messages.ts'
import type { Cursor, TextView } from './textView.ts'
import { useEditing } from './useEditing.ts'
import { useScrollTogether } from './useScrollTogether.ts'

const Markdown = late(() => import('../Preview/Markdown.tsx').then((file) => file.Markdown))

type Props = EditorProps & { readonly file: EditedFile; readonly userId: string; readonly place: string }

/** The editor, once the content of its file is there. */
export function EditorWindow(props: Props) {
  const { file, userId, onClose } = props
  const { editing, isFailed, retry } = useEditing(file, userId)
  if (isFailed) {
    return (
      <Frame onClose={onClose}>
        <EmptyState title={messages.notLoaded} text={messages.notLoadedText}>
          <Button onClick={retry}>{messages.retry}</Button>
        </EmptyState>
      </Frame>
    )
  }
  return editing ? <Loaded {...props} editing={editing} /> : <EditorWaiting onClose={onClose} />
}

const isMarkdownName = (name: string) => /\.(md|markdown)$/i.test(name)

function Loaded({ file, place, editing, onClose, onOpen, onVersions }: Props & { readonly editing: Editing }) {
  const state = useSyncExternalStore(editing.subscribe, editing.state)
  const isMobile = useIsMobile()
  const isMarkdown = isMarkdownName(file.name)
  const [chosen, setView] = useState<EditorView | null>(null)
  const [cursor, setCursor] = useState<Cursor>({ line: 1, column: 1 })
  const [dialog, setDialog] = useState<'leave' | 'compare' | null>(null)
  // What is done when it is clear what becomes of the unsaved text.
  const [leaving, setLeaving] = useState<() => void>(() => onClose)
  const field = useRef<TextView>(null)
  const paper = useRef<HTMLElement>(null)
  const view = viewOf(chosen, { isMarkdown, isMobile })
  useScrollTogether(field, paper, view === 'both')
  useEndSafely(editing, file)
  useSaveKey(editing)
  // The buttons of a decision are gone with it, and the focus with them.
  const isAsking = state.offered !== null || state.theirs !== null
  useEffect(() => {
    if (!isAsking && document.activeElement === document.body) field.current?.view.focus()
  }, [isAsking])

  const save = () => void editing.save()
  const leave = (act: () => void) => {
    if (!editing.isDirty() || editing.state().offered) return act()
    setLeaving(() => act)
    setDialog('leave')
  }
  const saveCopy = async () => {
    const name = copyName(file.name)
    const id = await editing.saveCopy(name)
    if (id === null) return
    toast.success(messages.copySaved(nameText(name)))
    onOpen(id)
  }
  const readOnly = editing.isReadOnly()
  const tools = (
    <EditorTools
      isMarkdown={isMarkdown}
      isDisabled={readOnly || view === 'preview'}
      field={field}
      onFormat={(format) => {
        const range = field.current?.view.state.selection.main
        if (range) field.current?.apply(formatText(format, editing.state().text, range))
      }}
    >
      {isMarkdown && !isMobile && <ViewChoice view={view} views={['text', 'both', 'preview']} onView={setView} />}
    </EditorTools>
  )
  return (
    <div className={styles.window}>
      <EditorHead
        {...{ file, place, state }}
        isDirty={editing.isDirty()}
        onSave={save}
        onClose={() => leave(onClose)}
        onVersions={() => leave(onVersions)}
        onCopy={() => void saveCopy()}
      />
      <EditorNotices
        editing={editing}
        state={state}
        onCompare={() => setDialog('compare')}
        onCopy={() => void saveCopy()}
      />
      {!isMobile && tools}
      {isMarkdown && isMobile && (
        <div className={styles.tabs}>
          <ViewChoice view={view} views={['text', 'preview']} onView={setView} />
        </div>
      )}
      <div className={cx(styles.columns, view === 'both' && styles.both)}>
        <CodeText
          ref={field}
          className={cx(styles.source, view === 'preview' && styles.away)}
          name={file.name}
          text={state.text}
          replaced={state.replaced}
          hasMixedLines={state.format.lineEnd === 'mixed'}
          readOnly={readOnly}
          onChange={editing.type}
          onCursor={setCursor}
        />
        {view !== 'text' && <Paper ref={paper} text={state.text} />}
      </div>
      {isMobile ? tools : <EditorFoot {...{ state, cursor, isMarkdown }} />}
      <Suspense>
        {dialog === 'leave' && (
          <LeaveDialog
            name={file.name}
            editing={editing}
            onStay={() => setDialog(null)}
            onLeave={() => {
              setDialog(null)
              leaving()
            }}
          />
        )}
        {dialog === 'compare' && state.theirs && (
          <CompareMine name={file.name} theirs={state.theirs.text} mine={state.text} onClose={() => setDialog(null)} />
        )}
      </Suspense>
    </div>
  )
}

function viewOf(chosen: EditorView | null, { isMarkdown, isMobile }: { isMarkdown: boolean; isMobile: boolean }) {
  if (!isMarkdown) return 'text'
  if (!isMobile) return chosen ?? 'both'
  return chosen === 'preview' ? 'preview' : 'text'
}

/** Ctrl+S or Command+S saves wherever the focus is; the editor keeps its keys from the page, so they are heard before it. */
function useSaveKey(editing: Editing): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event
      if (key.toLowerCase() !== 's' || !(ctrlKey || metaKey) || altKey || shiftKey) return
      event.preventDefault()
      void editing.save()
    }
    window.addEventListener('keydown', onKeyDown, true)
    return () => window.removeEventListener('keydown', onKeyDown, true)
  }, [editing])
}

/** The text as a page. */
function Paper({ ref, text }: { ref: React.RefObject<HTMLElement | null>; text: string }) {
  const shown = useDeferredValue(text)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section ref={ref} className={styles.paper} aria-label={messages.preview} tabIndex={0}>
      <Suspense>
        <Markdown text={shown} />
      </Suspense>
    </section>
  )
}

/** Leaving the page warns; leaving the editor by Back says where the text is. */
function useEndSafely(editing: Editing, { name }: EditedFile): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      editing.keep()
      if (editing.isDirty()) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    window.addEventListener('pagehide', editing.keep)
    const stop = editing.start()
    return () => {
      window.removeEventListener('beforeunload', warn)
      window.removeEventListener('pagehide', editing.keep)
      stop()
      if (editing.isDirty() && editing.state().isKept) {
        toast.info(messages.kept(nameText(name)), { description: messages.keptHint })
      }
    }
  }, [editing, name])
}
