import { Search } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Kbd } from '../../../ui/Kbd.tsx'
import searchStyles from '../../../ui/Search.module.css'
import { useFileManager } from '../FilesContext.ts'
import { selectOnly } from '../selection/selection.ts'

const PAUSE_MS = 250

type Props = { input?: RefObject<HTMLInputElement | null>; className?: string | undefined; focusAtOnce?: boolean }

/** Searches as one types, after a short pause; Escape empties it, and Enter and the arrow down go to the results. */
export function SearchField({ input, className, focusAtOnce = false }: Props) {
  const { url, setUrl, list, setSelection } = useFileManager()
  const [text, setText, commit] = useDelayed(url.query, (query) => setUrl({ query }, { replace: true }))
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape' && text) setText('')
    else if (event.key === 'Escape') event.currentTarget.blur()
    else if (event.key === 'Enter' && text.trim() !== url.query) commit()
    else if (event.key === 'Enter' || event.key === 'ArrowDown') goToList(event)
  }
  const goToList = (event: KeyboardEvent<HTMLInputElement>) => {
    const first = list.model.rowAt(0)?.id
    if (first === undefined || event.nativeEvent.isComposing) return
    event.preventDefault()
    // The list takes the focus once no field has it.
    event.currentTarget.blur()
    setSelection(() => selectOnly(first))
  }
  return (
    <search className={cx(searchStyles.search, className)}>
      <Icon icon={Search} />
      <Input
        type="search"
        aria-label="Search files"
        placeholder="Search files"
        value={text}
        autoComplete="off"
        autoFocus={focusAtOnce}
        {...(input && { ref: input })}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {text === '' && <Kbd>/</Kbd>}
    </search>
  )
}

/**
 * What is typed, at once for the field, and without spaces around it for `commit`, after a pause or at once. A change of `value` from
 * elsewhere wins.
 */
function useDelayed(
  value: string,
  commit: (text: string) => void,
): readonly [text: string, setText: (text: string) => void, commit: () => void] {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  /** Texts that `value` will be one after the other, or the last of them alone: by then more may have been typed. */
  const [sent, setSent] = useState<readonly string[]>([])
  if (known !== value) {
    setKnown(value)
    const at = sent.indexOf(value)
    setSent(at < 0 ? [] : sent.slice(at + 1))
    if (at < 0 && text.trim() !== value) setText(value)
  }
  const commitNow = () => {
    setSent([...sent, text.trim()])
    commit(text.trim())
  }
  const latest = useRef(commitNow)
  latest.current = commitNow
  useEffect(() => {
    if (text.trim() === value) return
    const timer = setTimeout(() => latest.current(), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, value])
  return [text, setText, commitNow]
}
