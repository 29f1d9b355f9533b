import { useRef, useState } from 'react'
import { nameText } from '../../../lib/nameText.ts'
import { Notice } from '../../../ui/Notice.tsx'
import type { FrameTask } from '../frame/protocol.ts'
import { failureReason, useFrame } from '../frame/useFrame.ts'
import { messages } from '../messages.ts'
import styles from '../Preview.module.css'
import type { ContentProps } from '../useContent.ts'
import { useContent } from '../useContent.ts'
import { Waiting } from '../Waiting.tsx'
import { type OfficeFile, readOfficeFile, slideTexts } from './officeFile.ts'

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
  const [task] = useState<FrameTask>(() => ({
    bytes: office.bytes,
    texts: kind === 'pptx' ? slideTexts(office) : [],
  }))
  const state = useFrame(frame, task)
  const reason = failureReason(state)
  if (reason !== null) return task.texts.length > 0 ? <Outline name={name} texts={task.texts} /> : cannotShow(reason)
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
