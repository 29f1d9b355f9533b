import { lazy, Suspense } from 'react'
import { nameText } from '../../lib/nameText.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import styles from './Preview.module.css'
import { usePreviewText } from './usePreviewText.ts'

const Markdown = lazy(() => import('./Markdown.tsx').then((m) => ({ default: m.Markdown })))

type Props = {
  readonly name: string
  readonly url: string
  readonly size: number
  readonly isMarkdown: boolean
}

/** Text as it is, with line numbers, or Markdown as a page. Nothing in it is executed or loaded. */
export function TextPreview({ name, url, size, isMarkdown }: Props) {
  const loaded = usePreviewText(url, size)
  if (!loaded) return <Waiting />
  if (loaded.isFailed || !loaded.part) {
    return <Notice tone="danger">The text could not be loaded. Check your connection, or download the file.</Notice>
  }
  const { text, isCut } = loaded.part
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.paper} tabIndex={0} aria-label={nameText(name)}>
      {isMarkdown ? (
        <Suspense fallback={<Waiting />}>
          <Markdown text={text} />
        </Suspense>
      ) : (
        <NumberedLines text={text} />
      )}
      {isCut && <p className={styles.cut}>Only the first 1.00 MB is shown. Download the file to see all of it.</p>}
    </section>
  )
}

function Waiting() {
  return (
    <div className={`${styles.paper} grid content-start gap-3 p-6`}>
      {['60%', '85%', '70%', '40%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  )
}

/** Two text nodes, however long: line numbers are next to the text, not inside it, so that only the text is copied. */
function NumberedLines({ text }: { text: string }) {
  const count = text.split('\n').length
  const numbers = Array.from({ length: count }, (_, index) => index + 1).join('\n')
  return (
    <div className={`${styles.code} mono`}>
      <pre className={`${styles.lines} num`} aria-hidden>
        {numbers}
      </pre>
      <pre>{text}</pre>
    </div>
  )
}
