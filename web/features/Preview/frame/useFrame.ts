import { type RefObject, useEffect, useState } from 'react'
import type { ByteReader } from '../byteReader.ts'
import { messages } from '../messages.ts'
import { type FrameFailure, type FrameQuestion, frameAnswer, type ReadAnswer, type Theme } from './protocol.ts'

/** A document that has drawn nothing by then is given up. */
const MOST_MS = 20_000

export type FrameState = 'waiting' | 'shown' | 'late' | FrameFailure

/** Gives the frame its task, and listens to what becomes of it. `file`: what the frame may read; each has to be the same object each time. */
export function useFrame<Task extends object>(
  frame: RefObject<HTMLIFrameElement | null>,
  task: Task,
  file: ByteReader | null = null,
): FrameState {
  const [state, setState] = useState<FrameState>('waiting')
  useEffect(() => {
    const timer = setTimeout(() => setState((now) => (now === 'waiting' ? 'late' : now)), MOST_MS)
    // Copied, not transferred: in development effects run twice. The frame has no origin to address.
    const send = (message: (Task & Theme) | ReadAnswer) => frame.current?.contentWindow?.postMessage(message, '*')
    const onMessage = ({ source, data }: MessageEvent<unknown>) => {
      const { current } = frame
      const answer = frameAnswer(data)
      if (!current || !answer || source !== current.contentWindow) return
      if (answer.kind === 'ready') {
        send({ ...task, isDark: document.documentElement.classList.contains('dark') })
      } else if (answer.kind === 'key') {
        current.dispatchEvent(new KeyboardEvent('keydown', { key: answer.key, bubbles: true }))
      } else if (answer.kind === 'read') {
        if (file) void readPart(file, answer).then(send)
      } else setState(answer.kind)
    }
    window.addEventListener('message', onMessage)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('message', onMessage)
    }
  }, [frame, task, file])
  return state
}

function readPart({ read }: ByteReader, { id, start, end }: FrameQuestion): Promise<ReadAnswer> {
  return read(start, end).then(
    (bytes) => ({ id, bytes }),
    () => ({ id, bytes: null }),
  )
}

const REASONS: Readonly<Record<Exclude<FrameState, 'waiting' | 'shown'>, string>> = {
  failed: messages.damaged,
  protected: messages.copyProtected,
  tooLarge: messages.tooLargeInside,
  unread: messages.unavailable,
  late: messages.tooSlow,
}

/** Why nothing was drawn; null: it was, or may still be. */
export const failureReason = (state: FrameState): string | null =>
  state === 'waiting' || state === 'shown' ? null : REASONS[state]
