import { useEffect, useState } from 'react'
import { onConnected } from '../../relay/liveAgain.ts'
import { onFileChange } from '../Details/onFileChange.ts'
import { createDrafts } from './drafts.ts'
import { createEditing, type EditedFile, type Editing } from './editing.ts'
import { readContent } from './fileContent.ts'

/** Changes come in bursts: one look in this time is enough. */
const EVERY_MS = 300

type Loading = { readonly editing: Editing | null; readonly isFailed: boolean; readonly retry: () => void }

/** Reads the content of a file and hears of other contents that it gets, as long as the file is shown. */
export function useEditing({ id, name, downloadUrl, parentId }: EditedFile, userId: string): Loading {
  const [loaded, setLoaded] = useState<{ id: string; editing: Editing | null } | null>(null)
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new name or place does not read the file again
  useEffect(() => {
    const abort = new AbortController()
    readContent(downloadUrl, undefined, abort.signal).then(
      (content) => {
        if (!content || abort.signal.aborted) return
        const drafts = createDrafts(userId)
        setLoaded({ id, editing: createEditing({ id, name, downloadUrl, parentId }, content, { drafts }) })
      },
      (error: unknown) => {
        if (abort.signal.aborted) return
        console.error('A text could not be read', error)
        setLoaded({ id, editing: null })
      },
    )
    return () => abort.abort()
  }, [id, downloadUrl, userId, attempt])
  const editing = loaded?.id === id ? loaded.editing : null
  useEffect(() => {
    if (!editing) return
    const check = () => void editing.check()
    window.addEventListener('online', check)
    const stops = [onConnected((isFirst) => isFirst || check()), onFileChange(id, { everyMs: EVERY_MS }, check)]
    return () => {
      window.removeEventListener('online', check)
      for (const stop of stops) stop()
    }
  }, [editing, id])
  return {
    editing,
    isFailed: loaded?.id === id && loaded.editing === null,
    retry: () => {
      setLoaded(null)
      setAttempt((count) => count + 1)
    },
  }
}
