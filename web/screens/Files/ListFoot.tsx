import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { useFileManager } from './FilesContext.ts'
import { items } from './words.ts'

/** Under the last row: how many there are, or why there are no more yet. */
export function ListFoot() {
  const { list } = useFileManager()
  if (list.failure) {
    return (
      <div className="listfoot hstack" role="none">
        <span className="t-danger">Could not load more. {reasonOf(list.failure)}</span>
        <Button size="sm" onClick={() => list.retry()}>
          Try again
        </Button>
      </div>
    )
  }
  if (list.model.hasNext) return <div className="listfoot">Loading more…</div>
  return <div className="listfoot num">{items(list.model.count)}</div>
}
