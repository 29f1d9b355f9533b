import { useEffect, useState, useTransition } from 'react'
import { Button } from '../../ui/Button.tsx'
import { type ActivityFilter, ActivityPage, type AskedPage } from './ActivityPage.tsx'
import { messages } from './messages.ts'

const FIRST_PAGE = 8
const NEXT_PAGE = 40
/** The server's maximum per page. */
const LONGEST_PAGE = 200

type Props = {
  filter: ActivityFilter
  /** Shown when there are no entries. */
  empty: string
  /**
   * Subscribes to possible new entries and returns a function that unsubscribes. Must be stable while `filter` is the
   * same.
   */
  listen?: (onNews: () => void) => () => void
}

/** Loads page after page on request. New entries are added at the top; loaded ones stay. */
export function ActivityPages({ filter, empty, listen }: Props) {
  const [pages, setPages] = useState<readonly AskedPage[]>([{ after: null, first: FIRST_PAGE, version: 0 }])
  const [isPending, startTransition] = useTransition()
  useEffect(() => listen?.(() => startTransition(() => setPages(readAgain))), [listen])
  const more = (after: string) =>
    startTransition(() => setPages([...pages, { after, first: NEXT_PAGE, version: pages[0]?.version ?? 0 }]))
  return (
    <ul aria-label={messages.list}>
      {pages.map((page, index) => (
        <ActivityPage
          key={page.after}
          {...page}
          filter={filter}
          empty={empty}
          more={(cursor) =>
            index === pages.length - 1 && (
              <li className="mt-3">
                <Button size="sm" busy={isPending} onClick={() => more(cursor)}>
                  {messages.more}
                </Button>
              </li>
            )
          }
        />
      ))}
    </ul>
  )
}

/** Fetched as one page: if the pages kept their cursors, new entries at the top would push others out. */
function readAgain(pages: readonly AskedPage[]): AskedPage[] {
  const shown = pages.reduce((sum, { first }) => sum + first, 0)
  return [{ after: null, first: Math.min(shown, LONGEST_PAGE), version: (pages[0]?.version ?? 0) + 1 }]
}
