import { useRef, useState } from 'react'
import { nameText } from '../../../lib/nameText.ts'
import { allBytes, type ByteReader } from '../byteReader.ts'
import type { BookTask } from '../frame/protocol.ts'
import { failureReason, useFrame } from '../frame/useFrame.ts'
import { messages } from '../messages.ts'
import styles from '../Preview.module.css'
import { type ContentProps, useContent } from '../useContent.ts'
import { Waiting } from '../Waiting.tsx'

/** A book up to this size is loaded at once: that takes less time than many requests. */
const LOADED_AT_ONCE = 4 * 1024 * 1024

/** A book (EPUB), read in a frame that can load nothing of ours but parts of this file. */
export function EpubPreview({ name, url, size, cannotShow }: ContentProps) {
  const { value, reason } = useContent(url, size, openBook)
  if (reason !== null) return cannotShow(reason)
  if (!value) return <Waiting />
  return <BookFrame key={url} name={name} file={value} cannotShow={cannotShow} />
}

async function openBook(file: ByteReader): Promise<ByteReader> {
  if (file.size > LOADED_AT_ONCE) return file
  const bytes = await allBytes(file, LOADED_AT_ONCE)
  return { size: bytes.length, read: async (start, end) => bytes.slice(start, end) }
}

type FrameProps = Pick<ContentProps, 'name' | 'cannotShow'> & { readonly file: ByteReader }

function BookFrame({ name, file, cannotShow }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [task] = useState<BookTask>(() => ({
    size: file.size,
    sectionFailed: messages.chapterFailed,
    untitled: messages.untitledBook,
  }))
  const state = useFrame(frame, task, file)
  const reason = failureReason(state)
  if (reason !== null) return cannotShow(reason)
  return (
    <>
      {state === 'waiting' && <Waiting />}
      <iframe
        ref={frame}
        className={styles.frame}
        hidden={state === 'waiting'}
        src="/frame/epub.html"
        sandbox="allow-scripts"
        title={nameText(name)}
      />
    </>
  )
}
