import { useEffect, useState, useTransition } from 'react'
import { Button } from '../../ui/Button.tsx'
import { type ActivityFilter, ActivityPage, type AskedPage } from './ActivityPage.tsx'
import { words } from './words.ts'

const FIRST_PAGE = 8
const NEXT_PAGE = 40
/** The server gives no more at once. */
const LONGEST_PAGE = 200

type Props = {
  filter: ActivityFilter
  /** What stands there when there is nothing at all. */
  empty: string
  /** Calls back when there may be something new, and returns the way to stop. The same function as long as `filter` is the same. */
  listen?: (onNews: () => void) => () => void
}

/** Page after page, each asked for. What is new comes above, and all that was shown stays. */
export function ActivityPages({ filter, empty, listen }: Props) {
  const [pages, setPages] = useState<readonly AskedPage[]>([{ after: null, first: FIRST_PAGE, version: 0 }])
  const [isPending, startTransition] = useTransition()
  useEffect(() => listen?.(() => startTransition(() => setPages(readAgain))), [listen])
  const more = (after: string) =>
    startTransition(() => setPages([...pages, { after, first: NEXT_PAGE, version: pages[0]?.version ?? 0 }]))
  return (
    <ul aria-label={words.list}>
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
                  {words.more}
                </Button>
              </li>
            )
          }
        />
      ))}
    </ul>
  )
}

/** As one page: between pages that begin where they began before, what is new above would push something out. */
function readAgain(pages: readonly AskedPage[]): AskedPage[] {
  const shown = pages.reduce((sum, { first }) => sum + first, 0)
  return [{ after: null, first: Math.min(shown, LONGEST_PAGE), version: (pages[0]?.version ?? 0) + 1 }]
}
