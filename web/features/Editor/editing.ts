import type { Draft, Drafts } from './drafts.ts'
import { type Content, ContentRefused, createFile, type NewContent, readContent, writeContent } from './fileContent.ts'
import { decodeForEditing, encodeText, isWritable, type TextFormat } from './textFormat.ts'

/** Another content that the file has got since it was read here. */
export type Theirs = {
  readonly text: string
  readonly format: TextFormat
  readonly etag: string
  /** Unix ms; null: unknown. */
  readonly writtenAt: number | null
}

export type EditingState = {
  readonly text: string
  /** What the file had when it was read or saved last. */
  readonly savedText: string
  readonly format: TextFormat
  /** Grows when the text is replaced by something else than typing. */
  readonly replaced: number
  readonly isSaving: boolean
  /** Unix ms; null: unknown. */
  readonly savedAt: number | null
  /** The server cannot be reached. */
  readonly isOffline: boolean
  /** Why the last attempt was refused. */
  readonly problem: string | null
  readonly theirs: Theirs | null
  /** Unsaved text of an earlier visit; nothing can be typed before it is taken or discarded. */
  readonly offered: Draft | null
  /** Unsaved text is kept on this device. */
  readonly isKept: boolean
}

export type EditedFile = {
  readonly id: string
  readonly name: string
  readonly downloadUrl: string
  readonly parentId: string | null
}

type World = {
  readonly drafts: Drafts
  readonly now?: () => number
  /** Milliseconds of rest after typing before text is kept on this device. */
  readonly restMs?: number
}

export type Editing = ReturnType<typeof createEditing>

/** The state of editing one file: the typed text, the draft on this device, saving, and versions that others save. `content`: as it was read. */
export function createEditing(file: EditedFile, content: Content, { drafts, now = Date.now, restMs = 400 }: World) {
  const { id } = file
  const first = decodeForEditing(content.bytes)
  const draft = drafts.read(id)
  const isOffered = draft !== null && draft.text !== first.text && isWritable(first.format)
  if (draft && !isOffered) drafts.forget(id)
  let base = content.etag
  /** What was sent without an answer: the file may have it. */
  let unanswered: string | null = null
  /** When the draft on this device was written by this editor; null: it was not. */
  let keptAt: number | null = null
  let state: EditingState = {
    ...first,
    savedText: first.text,
    replaced: 0,
    isSaving: false,
    savedAt: content.writtenAt,
    isOffline: false,
    problem: null,
    theirs: null,
    offered: isOffered ? draft : null,
    isKept: false,
  }
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  const set = (patch: Partial<EditingState>) => {
    state = { ...state, ...patch }
    for (const listener of listeners) listener()
  }
  const isDirty = () => state.text !== state.savedText
  const isReadOnly = () => !isWritable(state.format) || state.offered !== null

  const keep = () => {
    clearTimeout(timer)
    timer = undefined
    if (state.offered || !isWritable(state.format)) return
    if (isDirty()) {
      const at = now()
      const isKept = drafts.keep(id, { text: state.text, base, at })
      if (isKept) keptAt = at
      return set({ isKept })
    }
    // Another tab may have kept its own text of this file since.
    if (keptAt !== null && drafts.read(id)?.at === keptAt) drafts.forget(id)
    keptAt = null
    set({ isKept: false })
  }
  const keepSoon = () => {
    timer ??= setTimeout(keep, restMs)
  }

  /** Takes a content of the file as the one that is edited. */
  const adopt = ({ text, format, etag, writtenAt }: Theirs, shown: string) => {
    base = etag
    const replaced = shown === state.text ? state.replaced : state.replaced + 1
    unanswered = null
    set({ text: shown, savedText: text, format, replaced, savedAt: writtenAt, theirs: null, problem: null })
    if (!isDirty()) set({ isOffline: false })
    keep()
  }

  /** Looks whether the file has another content by now. @throws ContentRefused, TypeError */
  const look = async () => {
    const read = await readContent(file.downloadUrl, state.theirs?.etag ?? base)
    if (read === null || isStopped) return
    // Who restored what is edited here has undone the other content.
    if (read.etag === base) return set({ theirs: null })
    const theirs = { ...decodeForEditing(read.bytes), etag: read.etag, writtenAt: read.writtenAt }
    // Who saved the same text has not changed anything for this one, and neither has an answer that was lost.
    const isMine = theirs.text === state.text || theirs.text === unanswered
    if (isMine && isWritable(theirs.format)) adopt(theirs, state.text)
    else set({ theirs })
  }

  /** @returns null when it failed, with the reason in the state */
  const attempt = async <Result>(act: () => Promise<Result>): Promise<Result | null> => {
    set({ isSaving: true, problem: null })
    try {
      const result = await act()
      set({ isOffline: false })
      return result
    } catch (error) {
      if (error instanceof ContentRefused) set({ isOffline: false, problem: error.message })
      else set({ isOffline: true })
      return null
    } finally {
      set({ isSaving: false })
      keep()
    }
  }

  const send = async (onto: string): Promise<void> => {
    const sent = state.text
    try {
      base = await writeContent(id, encodeText(sent, state.format), onto)
    } catch (error) {
      if (!(error instanceof ContentRefused)) unanswered = sent
      if (!(error instanceof ContentRefused && error.status === 412)) throw error
      await look()
      // The file has what is edited here after all: what was typed since is saved onto that.
      if (base !== onto && !state.theirs && isDirty()) await send(base)
      return
    }
    unanswered = null
    set({ savedText: sent, savedAt: now(), theirs: null })
  }
  const write = (onto: string) => attempt(() => send(onto))

  /** Forgets what was typed. */
  const drop = () => {
    unanswered = null
    set({ text: state.savedText, theirs: null })
    keep()
  }

  /** What was typed while the copy was saved is kept for it. @returns the id of the copy */
  const continueIn = (copy: NewContent, sent: string): string => {
    if (state.text !== sent) drafts.keep(copy.id, { text: state.text, base: copy.etag, at: now() })
    drop()
    return copy.id
  }

  return {
    state: () => state,
    isDirty,
    isReadOnly,
    /** Returns a function that unsubscribes. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    type(text: string): void {
      if (text === state.text || isReadOnly()) return
      set({ text })
      keepSoon()
    },
    /** Saves what was typed, if the file still has what it is based on; otherwise `theirs` is what it has. */
    async save(): Promise<void> {
      if (!isDirty() || isReadOnly() || state.isSaving || state.theirs) return
      await write(base)
    },
    /** Saves over what others have saved, which stays as an earlier version. */
    async saveOverTheirs(): Promise<void> {
      if (state.theirs && !state.isSaving) await write(state.theirs.etag)
    },
    /** Drops what was typed here for what the file has now. */
    useTheirs(): void {
      if (state.theirs) adopt(state.theirs, state.theirs.text)
    },
    /** Saves the text as another file next to this one. @returns its id; null when that failed, with the reason in the state */
    async saveCopy(name: string): Promise<string | null> {
      const sent = state.text
      const bytes = encodeText(sent, state.format)
      const copy = await attempt(() => createCopy({ name, parentId: file.parentId, bytes }))
      return copy && continueIn(copy, sent)
    },
    /** Continues with the text of an earlier visit. */
    takeOffered(): void {
      const { offered, text, format } = state
      if (!offered) return
      const theirs = offered.base === base ? null : { text, format, etag: base, writtenAt: content.writtenAt }
      base = offered.base
      set({ text: offered.text, offered: null, theirs, replaced: state.replaced + 1 })
      keep()
    },
    discardOffered(): void {
      drafts.forget(id)
      set({ offered: null })
    },
    /** The file may have another content, or the server may be there again: then what could not be saved is saved now. */
    async check(): Promise<void> {
      if (state.isSaving) return
      try {
        await look()
      } catch {
        // A check is repeated with the next change: what fails here is said when saving fails.
        return
      }
      if (state.isOffline && isDirty() && !state.theirs && !state.isSaving) await write(base)
    },
    keep,
    discard: drop,
    /** Returns a function that ends it; what was typed until then is kept. */
    start(): () => void {
      isStopped = false
      return () => {
        isStopped = true
        keep()
      }
    },
  }
}

type Copy = { readonly name: string; readonly parentId: string | null; readonly bytes: Uint8Array<ArrayBuffer> }

/** A copy in the folder of the file; if that is gone, in My Drive, so that the text can be saved at all. */
async function createCopy(copy: Copy): Promise<NewContent> {
  const file = { ...copy, onConflict: 'rename' } as const
  try {
    return await createFile(file)
  } catch (error) {
    if (!(error instanceof ContentRefused && error.status === 404) || copy.parentId === null) throw error
    return createFile({ ...file, parentId: null })
  }
}
