import { Images } from 'lucide-react'
import { memo, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import { Link } from 'react-router'
import { Day, PlaceholderRows } from '../../features/Photos/Day.tsx'
import { messages as photoMessages } from '../../features/Photos/messages.ts'
import { PhotoPicture } from '../../features/Photos/PhotoPicture.tsx'
import photoStyles from '../../features/Photos/Photos.module.css'
import { type Photo, withFirst } from '../../features/Photos/photo.ts'
import { firstOfMonth, timeOf } from '../../features/Photos/photoDates.ts'
import type { PhotoLine, PhotosLayout } from '../../features/Photos/photosLayout.ts'
import { Scale } from '../../features/Photos/Scale.tsx'
import { MOST_LINES, usePhotosLayout } from '../../features/Photos/usePhotosLayout.ts'
import { nameText } from '../../lib/nameText.ts'
import { range, useLines } from '../../lib/useLines.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { thumbnailUrl } from './addresses.ts'
import { folderParams } from './FolderRow.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'
import type { Folder } from './useFolder.ts'
import { usePhotoKeys } from './usePhotoKeys.ts'

/** After the last new picture: then the photos are read again, which have their dates and sizes. */
const QUIET_MS = 1_000
/** Between two such readings: the requests of a visitor are limited. */
const APART_MS = 10_000
/** So many photos before the last one that is known, more are read. */
const AHEAD = 80

type Props = {
  readonly shareId: string
  readonly folderId: string | null
  readonly folder: Folder
  readonly onList: () => void
}

/** The photos and videos of the open folder by day, newest first, in rows that fill the width. */
export function FolderPhotos(props: Props) {
  return props.folder.entries.length === 0 ? <NoPhotos onList={props.onList} /> : <Photos {...props} />
}

/** Nothing to show, although the folder may hold other files. */
function NoPhotos({ onList }: Pick<Props, 'onList'>) {
  return (
    <EmptyState icon={Images} title={photoMessages.emptyTitle} text={photoMessages.emptyText}>
      <Button onClick={onList}>{photoMessages.backToList}</Button>
    </EmptyState>
  )
}

function Photos({ shareId, folderId, folder }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const photos = usePhotos(shareId, folder)
  const layout = usePhotosLayout(content, photos)
  const { all, lines, grid } = layout
  const { shown, pending, scrollTo } = useLines(scroller, lines, MOST_LINES)
  const first = all[shown.first]?.from ?? 0
  const last = Math.max(first, (all[Math.max(0, shown.last)]?.to ?? 1) - 1)
  const { readAhead } = folder
  useEffect(() => {
    if (last >= photos.length - AHEAD) readAhead()
  })
  const keys = usePhotoKeys(grid, { first, last, photos, scroller, onMove: (index) => scrollTo(grid.lineOf(index)) })
  const months = useMemo(() => withFirst(folder.months), [folder.months])
  const goToMonth = useGoToMonth(folder, { scroller, layout, photos })
  const onNewFacts = useNewFacts(folder.refresh)
  const current = photos[all[lines.lineAt((scroller.current?.scrollTop ?? 0) + 1)]?.from ?? 0]

  return (
    <div className={`${photoStyles.view} ${styles.photos}`}>
      <div
        ref={scroller}
        className={`${photoStyles.scroll} ${styles.photoScroll}`}
        role="grid"
        aria-label={messages.folderLabel}
        aria-rowcount={folder.hasMore ? -1 : lines.count}
        aria-busy={folder.isLoading}
        onKeyDown={keys.onKeyDown}
        onFocus={keys.onFocus}
      >
        <div ref={content} role="none" className={styles.photoContent} style={{ height: lines.topOf(lines.count) }}>
          {range(shown).map((index) => {
            const line = all[index]
            if (!line) return null
            const those = photos.slice(line.from, line.to)
            return line.kind === 'heading' ? (
              <Day key={`day ${line.from}`} line={line} photos={those} />
            ) : (
              <Row
                key={line.from}
                number={index}
                photos={those}
                tabStop={keys.tabStop}
                {...{ line, folderId, onNewFacts }}
              />
            )
          })}
          <PlaceholderRows lines={pending} all={all} />
        </div>
        {folder.hasMore && (
          <Button busy={folder.isLoading} onClick={folder.showMore} className="mt-4">
            {messages.showMore}
          </Button>
        )}
      </div>
      <Scale months={months} current={current ? timeOf(current).slice(0, 7) : ''} onMonth={goToMonth} />
    </div>
  )
}

type RowProps = {
  readonly number: number
  readonly line: PhotoLine
  readonly photos: readonly Photo[]
  readonly folderId: string | null
  /** The photo that the Tab key comes to. */
  readonly tabStop: string | undefined
  readonly onNewFacts: (id: string) => void
}

function Row({ number, line, photos, ...tile }: RowProps) {
  return (
    <div
      role="row"
      aria-rowindex={number + 1}
      className={styles.photoRow}
      style={{ transform: `translateY(${line.top}px)`, height: line.height }}
    >
      {photos.map((photo, column) => {
        const place = line.places[column]
        return place && <Tile key={photo.id} {...{ photo, column, ...place, height: line.height, ...tile }} />
      })}
    </div>
  )
}

type TileProps = Pick<RowProps, 'folderId' | 'tabStop' | 'onNewFacts'> & {
  readonly photo: Photo
  readonly column: number
  readonly left: number
  readonly width: number
  readonly height: number
}

/** The whole tile is a link to the large view. */
const Tile = memo(function Tile({ photo, column, left, width, height, folderId, tabStop, onNewFacts }: TileProps) {
  const { id, name } = photo
  return (
    <div
      role="gridcell"
      aria-colindex={column + 1}
      className={photoStyles.photo}
      style={{ insetInlineStart: left, width, height }}
    >
      <PhotoPicture photo={photo} onNewFacts={() => onNewFacts(id)} />
      <Link
        data-id={id}
        className={photoStyles.link}
        to={`?${folderParams(folderId, id)}`}
        tabIndex={id === tabStop ? 0 : -1}
        draggable={false}
      >
        <span className="sr-only">{nameText(name)}</span>
      </Link>
    </div>
  )
})

/** The entries of the folder, as the layout and the tiles need them. */
function usePhotos(shareId: string, { entries }: Folder): readonly Photo[] {
  return useMemo(
    () =>
      entries.map((entry) => ({
        ...entry,
        mediumUrl: thumbnailUrl(shareId, entry.mediumPath),
        largeUrl: thumbnailUrl(shareId, entry.largePath),
      })),
    [shareId, entries],
  )
}

type Shown = {
  readonly scroller: RefObject<HTMLElement | null>
  readonly layout: PhotosLayout
  readonly photos: readonly Photo[]
}

/** Scrolls to the newest photo of a month; what is before it is read first. Another jump cancels it. */
function useGoToMonth({ readTo }: Folder, shown: Shown) {
  const latest = useRef(shown)
  latest.current = shown
  const jump = useRef('')
  return (month: string, index: number) => {
    jump.current = month
    const go = () => {
      const { scroller, layout, photos } = latest.current
      if (jump.current !== month || !scroller.current) return
      const at = firstOfMonth(photos.length, (each) => timeOf(photos[each] as Photo), month)
      scroller.current.scrollTop = layout.lines.topOf(layout.grid.lineOf(at) - 1)
    }
    if (index < shown.photos.length) return go()
    // The layout of what was read is drawn with the next frame.
    void readTo(index + 1).then(() => requestAnimationFrame(go))
  }
}

/** Reads the photos again once pictures have arrived whose dates and sizes were unknown; for each of them once. */
function useNewFacts(refresh: () => void): (id: string) => void {
  const latest = useRef(refresh)
  latest.current = refresh
  const seen = useRef(new Set<string>())
  const readAt = useRef(Number.NEGATIVE_INFINITY)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback((id: string) => {
    if (seen.current.has(id)) return
    seen.current.add(id)
    clearTimeout(timer.current)
    const read = () => {
      readAt.current = performance.now()
      latest.current()
    }
    timer.current = setTimeout(read, Math.max(QUIET_MS, readAt.current + APART_MS - performance.now()))
  }, [])
}
