import { useEffect, useRef, useState } from 'react'
import { nameText } from '../../../lib/nameText.ts'
import { Notice } from '../../../ui/Notice.tsx'
import { type FrameTask, frameAnswer } from '../frame/protocol.ts'
import { messages } from '../messages.ts'
import styles from '../Preview.module.css'
import type { ContentProps } from '../useContent.ts'
import { useContent } from '../useContent.ts'
import { Waiting } from '../Waiting.tsx'
import { type OfficeFile, readOfficeFile, slideTexts } from './officeFile.ts'

/** A document that has drawn nothing by then is given up. */
const MOST_MS = 20_000

type Props = ContentProps & { readonly kind: 'docx' | 'pptx' }

/** A text document or a presentation, drawn in a frame that can read and load nothing of ours. */
export function OfficePreview({ kind, name, url, size, cannotShow }: Props) {
  const { value, reason } = useContent(url, size, readOfficeFile)
  if (reason !== null) return cannotShow(reason)
  if (!value) return <Waiting />
  return <DocumentFrame key={url} kind={kind} name={name} office={value} cannotShow={cannotShow} />
}

type FrameProps = Pick<Props, 'kind' | 'name' | 'cannotShow'> & { readonly office: OfficeFile }

function DocumentFrame({ kind, name, office, cannotShow }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [texts] = useState(() => (kind === 'pptx' ? slideTexts(office) : []))
  const state = useFrame(frame, office.bytes, texts)
  if (state === 'failed' || state === 'late') {
    if (texts.length > 0) return <Outline name={name} texts={texts} />
    return cannotShow(state === 'late' ? messages.tooSlow : messages.damaged)
  }
  return (
    <>
      {state === 'waiting' && <Waiting />}
      <iframe
        ref={frame}
        className={styles.frame}
        hidden={state === 'waiting'}
        src={`/frame/${kind}.html`}
        sandbox="allow-scripts"
        title={nameText(name)}
      />
    </>
  )
}

type FrameState = 'waiting' | 'shown' | 'failed' | 'late'

/** Gives the frame its document, and listens to what becomes of it. */
function useFrame(frame: React.RefObject<HTMLIFrameElement | null>, bytes: ArrayBuffer, texts: readonly string[]) {
  const [state, setState] = useState<FrameState>('waiting')
  useEffect(() => {
    const timer = setTimeout(() => setState((now) => (now === 'waiting' ? 'late' : now)), MOST_MS)
    const onMessage = ({ source, data }: MessageEvent<unknown>) => {
      const { current } = frame
      const answer = frameAnswer(data)
      if (!current || !answer || source !== current.contentWindow) return
      if (answer.kind === 'ready') {
        const isDark = document.documentElement.classList.contains('dark')
        const task: FrameTask = { bytes, isDark, texts }
        // Copied, not transferred: in development effects run twice. The frame has no origin to address.
        current.contentWindow?.postMessage(task, '*')
      } else if (answer.kind === 'key') {
        current.dispatchEvent(new KeyboardEvent('keydown', { key: answer.key, bubbles: true }))
      } else setState(answer.kind)
    }
    window.addEventListener('message', onMessage)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('message', onMessage)
    }
  }, [frame, bytes, texts])
  return state
}

/** A presentation that the library cannot draw, as the text of its slides. */
function Outline({ name, texts }: { name: string; texts: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.paper} tabIndex={0} aria-label={nameText(name)}>
      <div className={styles.prose}>
        <Notice>{messages.outline}</Notice>
        {texts.map((text, index) => (
          <section key={index}>
            <h3>{messages.slide(index + 1)}</h3>
            <p className="whitespace-pre-wrap">{text || messages.emptySlide}</p>
          </section>
        ))}
      </div>
    </section>
  )
}
