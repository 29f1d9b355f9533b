import { Search, X } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Input } from '../../ui/Input.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import searchStyles from '../../ui/Search.module.css'
import { TopBar } from '../../ui/TopBar.tsx'
import { useSlashKey } from './useSlashKey.ts'

const messages = { search: 'Search files', close: 'Close search' } as const

type Props = {
  title: string
  /** The page has no visible heading. */
  isHeading?: boolean
}

/**
 * The top bar of every screen but the file manager: the search over all files; on narrow screens it replaces the bar
 * while it is used.
 */
export function SearchBar({ title, isHeading = false }: Props) {
  const [isSearching, setSearching] = useState(false)
  return (
    <>
      <TopBar
        title={title}
        mobileActions={
          <IconButton label={messages.search} icon={Search} iconSize={20} onClick={() => setSearching(true)} />
        }
      >
        {isHeading && <h1 className="sr-only">{title}</h1>}
        <FileSearch className={searchStyles.inTopBar} />
      </TopBar>
      {isSearching && (
        <div className={`only-m flex ${searchStyles.onPhone}`}>
          <FileSearch className="grow" focusAtOnce />
          <IconButton label={messages.close} icon={X} iconSize={20} onClick={() => setSearching(false)} />
        </div>
      )}
    </>
  )
}

function FileSearch({ className, focusAtOnce = false }: { className: string | undefined; focusAtOnce?: boolean }) {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useSlashKey(input)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const query = text.trim()
    if (query) void navigate(`/file-manager?q=${encodeURIComponent(query)}`)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Escape') return
    if (text) setText('')
    else event.currentTarget.blur()
  }
  return (
    <form className={className} onSubmit={submit}>
      <search className={searchStyles.search}>
        <Icon icon={Search} />
        <Input
          ref={input}
          type="search"
          aria-label={messages.search}
          placeholder={messages.search}
          value={text}
          autoComplete="off"
          autoFocus={focusAtOnce}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {text === '' && <Kbd>/</Kbd>}
      </search>
    </form>
  )
}
