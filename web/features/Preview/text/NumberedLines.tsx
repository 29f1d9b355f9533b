import { cx } from '../../../lib/cx.ts'
import styles from '../Preview.module.css'
import type { CodeToken } from './codeWorker.ts'
import textStyles from './Text.module.css'
import { languageOf, useHighlight } from './useHighlight.ts'

/**
 * Text with line numbers, which are next to the text, not inside it, so that only the text is copied. Code gets its colours when they
 * are ready. On a narrow screen the lines of what is no code are wrapped, and not numbered.
 */
export function NumberedLines({ name, text }: { name: string; text: string }) {
  const count = text.split('\n').length
  const numbers = Array.from({ length: count }, (_, index) => index + 1).join('\n')
  const tokens = useHighlight(name, text)
  return (
    <div className={cx(`${styles.code} mono`, languageOf(name) === null && textStyles.wrapped)}>
      <pre className={`${styles.lines} num`} aria-hidden>
        {numbers}
      </pre>
      <pre>{tokens ? tokens.map(Token) : text}</pre>
    </div>
  )
}

const COLOURS: Readonly<Record<string, string | undefined>> = {
  keyword: textStyles.key,
  built_in: textStyles.key,
  type: textStyles.key,
  tag: textStyles.key,
  name: textStyles.key,
  section: textStyles.title,
  title: textStyles.title,
  string: textStyles.string,
  regexp: textStyles.string,
  addition: textStyles.string,
  number: textStyles.number,
  attr: textStyles.number,
  attribute: textStyles.number,
  symbol: textStyles.number,
  literal: textStyles.literal,
  deletion: textStyles.literal,
  meta: textStyles.comment,
  comment: textStyles.comment,
  doctag: textStyles.comment,
}

function Token([kind, text]: CodeToken, index: number) {
  const colour = kind === null ? undefined : COLOURS[kind]
  if (colour === undefined) return text
  return (
    <span key={index} className={colour}>
      {text}
    </span>
  )
}
