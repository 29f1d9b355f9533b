import { Suspense } from 'react'
import { late } from '../../lib/lateCode.ts'
import { nameText } from '../../lib/nameText.ts'
import { MOST_TEXT_BYTES } from './fetchText.ts'
import { messages } from './messages.ts'
import styles from './Preview.module.css'
import { NumberedLines } from './text/NumberedLines.tsx'
import type { ContentProps } from './useContent.ts'
import { usePreviewText } from './usePreviewText.ts'
import { Waiting } from './Waiting.tsx'

const Markdown = late(() => import('./Markdown.tsx').then((file) => file.Markdown))
const LongText = late(() => import('./text/LongText.tsx').then((file) => file.LongText))

type Props = ContentProps & { readonly isMarkdown: boolean }

/** Text as it is, with line numbers, or Markdown as a page. Nothing in it is executed or loaded. */
export function TextPreview({ isMarkdown, ...props }: Props) {
  const { name, url, size, cannotShow } = props
  const loaded = usePreviewText(url, size)
  if (!loaded) return <Waiting />
  if (!loaded.part) return cannotShow(loaded.reason)
  const { text, isCut, isUtf8 } = loaded.part
  if (isCut && isUtf8 && !isMarkdown) {
    return (
      <Suspense fallback={<Waiting />}>
        <LongText {...props} />
      </Suspense>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.paper} tabIndex={0} aria-label={nameText(name)}>
      {isMarkdown ? (
        <Suspense fallback={<Waiting />}>
          <Markdown text={text} />
        </Suspense>
      ) : (
        <NumberedLines name={name} text={text} />
      )}
      {isCut && <p className={styles.cut}>{messages.textCut(MOST_TEXT_BYTES)}</p>}
    </section>
  )
}
