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
  const [text, setText] = useDelayed(url.query, (query) => setUrl({ query: query.trim() }, { replace: true }))
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape' && text) setText('')
    else if (event.key === 'Escape') event.currentTarget.blur()
    else if (event.key === 'Enter' && text.trim() !== url.query) setUrl({ query: text.trim() }, { replace: true })
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

/** What is typed, at once for the field, and after a pause for `commit`. A change of `value` from elsewhere wins. */
function useDelayed(value: string, commit: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  const latest = useRef(commit)
  latest.current = commit
  if (known !== value) {
    setKnown(value)
    if (text.trim() !== value) setText(value)
  }
  useEffect(() => {
    if (text.trim() === value) return
    const timer = setTimeout(() => latest.current(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, value])
  return [text, setText]
}
