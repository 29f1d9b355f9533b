import { FileSearch } from 'lucide-react'
import { type MouseEvent, useEffect } from 'react'
import { Link } from 'react-router'
import { announce } from '../../../lib/announce.ts'
import { formatBytes } from '../../../lib/formatBytes.ts'
import { formatDay } from '../../../lib/formatDate.ts'
import { nameText } from '../../../lib/nameText.ts'
import { reasonOf } from '../../../relay/runMutation.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import { useFileManager } from '../FilesContext.ts'
import { locationText } from '../messages.ts'
import { rowHref } from '../urlState.ts'
import styles from './Matches.module.css'
import { messages } from './messages.ts'
import { type Match, useMatches } from './useMatches.ts'

/** Files whose text contains what is searched for, each with a part of its text. */
export function ContentMatches() {
  const { listKey, url } = useFileManager()
  const { items, hasNext, isReading, isLoading, failure, readMore } = useMatches(listKey)
  const count = messages.results(items.length, hasNext)
  useEffect(() => {
    if (!isLoading && !failure) announce(count)
  }, [isLoading, failure, count])

  if (failure && items.length === 0) {
    return (
      <EmptyState danger icon={FileSearch} title={messages.failed} text={reasonOf(failure)}>
        <Button variant="primary" onClick={readMore}>
          {messages.tryAgain}
        </Button>
      </EmptyState>
    )
  }
  if (!isLoading && items.length === 0) {
    return (
      <EmptyState
        icon={FileSearch}
        title={messages.none(url.query)}
        text={isReading ? `${messages.reading} ${messages.noneText}` : messages.noneText}
      >
        <Link to="/settings#search">{messages.settings}</Link>
      </EmptyState>
    )
  }
  return (
    <div className={styles.pane} aria-busy={isLoading} data-testid="content-matches">
      {isReading && <p className="meta muted">{messages.reading}</p>}
      <ul className={styles.list} aria-label={messages.listName(url.query)}>
        {items.map((match) => (
          <MatchRow key={match.file.id} match={match} />
        ))}
      </ul>
      <div className={`${styles.foot} meta muted num`}>
        {failure && <p className="t-danger">{reasonOf(failure)}</p>}
        {hasNext ? (
          <Button busy={isLoading} onClick={readMore}>
            {messages.more}
          </Button>
        ) : (
          !isLoading && count
        )}
      </div>
    </div>
  )
}

function MatchRow({ match: { file, excerpt } }: { match: Match }) {
  const { view, showPreview } = useFileManager()
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    showPreview(file.id)
  }
  return (
    <li className={styles.match}>
      <FileIcon category={file.category} thumbnailUrl={file.thumbnailUrl} />
      <div className={styles.texts}>
        <a className={styles.link} href={rowHref(file, view) ?? undefined} onClick={open}>
          <bdi>{nameText(file.name)}</bdi>
        </a>
        <p className={`${styles.place} ell`}>{locationText(file.path)}</p>
        <p className={styles.excerpt}>
          <span className="sr-only">{messages.excerpt}</span>…{' '}
          {excerpt.map(({ text, isMatch }, index) =>
            // Parts have no identity but their place.
            isMatch ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
          )}{' '}
          …
        </p>
      </div>
      <span className={`${styles.facts} meta muted num`}>{formatDay(file.updatedAt)}</span>
      <span className={`${styles.facts} ${styles.right} meta muted num`}>{formatBytes(file.size ?? 0)}</span>
    </li>
  )
}
