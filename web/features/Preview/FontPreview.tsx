import { nameText } from '../../lib/nameText.ts'
import { allBytes, type ByteReader } from './byteReader.ts'
import { messages } from './messages.ts'
import styles from './Preview.module.css'
import { PreviewError } from './previewError.ts'
import type { ContentProps } from './useContent.ts'
import { useContent } from './useContent.ts'
import { Waiting } from './Waiting.tsx'

const MOST_BYTES = 30 * 1024 * 1024
const SIZES = [48, 32, 24, 18, 14] as const

/** Each preview has its own name: another one may be loading. */
let count = 0

/** A font as a specimen: letters, figures, and a sentence in several sizes. */
export function FontPreview({ name, url, size, cannotShow }: ContentProps) {
  const { value: family, reason } = useContent(url, size, loadFont)
  if (reason !== null) return cannotShow(reason)
  if (!family) return <Waiting />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.paper} tabIndex={0} aria-label={nameText(name)}>
      <div className={styles.specimen} style={{ fontFamily: `"${family}"` }}>
        <p style={{ fontSize: 24, lineHeight: '36px' }}>{messages.specimenLetters}</p>
        <p style={{ fontSize: 24, lineHeight: '36px' }}>{messages.specimenFigures}</p>
        {SIZES.map((pixels) => (
          <p key={pixels} style={{ fontSize: pixels, lineHeight: 1.4 }}>
            {messages.specimen}
          </p>
        ))}
      </div>
    </section>
  )
}

/** @returns the name under which the font is available until the signal ends */
async function loadFont(file: ByteReader, signal: AbortSignal): Promise<string> {
  const bytes = await allBytes(file, MOST_BYTES)
  const family = `preview-${++count}`
  const font = await new FontFace(family, bytes).load().catch(() => {
    throw new PreviewError(messages.browserCannot)
  })
  document.fonts.add(font)
  signal.addEventListener('abort', () => document.fonts.delete(font))
  if (signal.aborted) document.fonts.delete(font)
  return family
}
