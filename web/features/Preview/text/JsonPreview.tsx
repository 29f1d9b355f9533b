import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { nameText } from '../../../lib/nameText.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { allBytes, type ByteReader } from '../byteReader.ts'
import { decodeText } from '../fetchText.ts'
import { messages } from '../messages.ts'
import paper from '../Preview.module.css'
import type { ContentProps } from '../useContent.ts'
import { useContent } from '../useContent.ts'
import { Waiting } from '../Waiting.tsx'
import { NumberedLines } from './NumberedLines.tsx'
import styles from './Text.module.css'

/** Larger ones are not opened with this. */
const MOST_JSON_BYTES = 4 * 1024 * 1024
/** Of a folded value, how many entries are shown at first and added by each "Show more". */
const PART = 100
const LONGEST_STRING = 2_000
const MOST_TEXT = 1024 * 1024

/** `text`: it is not JSON. */
type Json = { readonly value: unknown } | { readonly text: string }

/** JSON as a tree, of which the first level is open. */
export function JsonPreview({ name, url, size, cannotShow }: ContentProps) {
  const { value: json, reason } = useContent(url, size, readJson)
  if (reason !== null) return cannotShow(reason)
  if (!json) return <Waiting />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={paper.paper} tabIndex={0} aria-label={nameText(name)}>
      {'text' in json ? (
        <>
          <div className="p-4">
            <Notice>{messages.invalidJson}</Notice>
          </div>
          <NumberedLines name={name} text={json.text} />
        </>
      ) : (
        <div className={styles.tree}>
          <Value label={null} value={json.value} isFirst />
        </div>
      )}
    </section>
  )
}

async function readJson(file: ByteReader): Promise<Json> {
  const text = decodeText(await allBytes(file, MOST_JSON_BYTES), false)
  try {
    return { value: JSON.parse(text, exactNumber) }
  } catch (error) {
    // So deeply nested that it cannot be walked, which says nothing about whether it is JSON.
    if (error instanceof RangeError) return { value: JSON.parse(text) }
    return { text: text.slice(0, MOST_TEXT) }
  }
}

/** A number as it is written, where a JavaScript number would be another one. */
class WrittenNumber {
  constructor(readonly text: string) {}
}

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  const isChanged = typeof value === 'number' && source !== undefined && /^-?\d{16,}$/.test(source)
  return isChanged && String(value) !== source ? new WrittenNumber(source) : value
}

type ValueProps = { readonly label: string | null; readonly value: unknown; readonly isFirst?: boolean }

function Value({ label, value, isFirst = false }: ValueProps) {
  const [isOpen, setOpen] = useState(isFirst)
  const [shown, setShown] = useState(PART)
  const entries = entriesOf(value)
  const key = label !== null && <span className={styles.key}>{label}: </span>
  if (!entries) {
    return (
      <div className={styles.leaf}>
        {key}
        <Scalar value={value} />
      </div>
    )
  }
  const left = entries.length - shown
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon icon={isOpen ? ChevronDown : ChevronRight} />
        <span>
          {key}
          {Array.isArray(value) ? messages.items(entries.length) : messages.fields(entries.length)}
        </span>
      </button>
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([name, child], index) => (
            <li key={index}>
              <Value label={name} value={child} />
            </li>
          ))}
          {left > 0 && (
            <li>
              <Button size="sm" onClick={() => setShown(shown + PART)}>
                {messages.showMore(Math.min(left, PART))}
              </Button>
            </li>
          )}
        </ul>
      )}
    </>
  )
}

/** Null for what has no parts. */
function entriesOf(value: unknown): [string, unknown][] | null {
  if (Array.isArray(value)) return value.map((item, index) => [String(index), item])
  if (typeof value !== 'object' || value === null || value instanceof WrittenNumber) return null
  return Object.entries(value)
}

function Scalar({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    const text = JSON.stringify(value)
    return (
      <span className={styles.string}>{text.length > LONGEST_STRING ? `${text.slice(0, LONGEST_STRING)}…` : text}</span>
    )
  }
  if (value instanceof WrittenNumber) return <span className={styles.number}>{value.text}</span>
  return <span className={typeof value === 'number' ? styles.number : styles.literal}>{String(value)}</span>
}
