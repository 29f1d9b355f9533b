import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { Treemap_content$data, Treemap_content$key } from '../../__generated__/Treemap_content.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatDay } from '../../lib/formatDate.ts'
import { BACK, FORTH } from '../../lib/keyboard.ts'
import { useIsMobile } from '../../lib/useMediaQuery.ts'
import { hueStyle } from '../../ui/hue.ts'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { messages } from './messages.ts'
import styles from './Room.module.css'
import { entryPath, placePath, type RoomPlace } from './roomUrl.ts'
import { type Box, type Direction, neighbour, tilesOf } from './treemapLayout.ts'

const HEIGHT = 336
const HEIGHT_ON_PHONES = 400
/** Half of the gap between boxes. */
const INSET = 1.5
/** Height of a folder's name above its entries, and the margin around these. */
const HEAD = 27
const MARGIN = 5
/** A folder whose box is smaller shows no entries. */
const LEAST_WIDTH = 110
const LEAST_HEIGHT = 84
/** Room for one and for two lines of text. */
const LABEL = { width: 48, height: 24, two: 42 }
/** Strength of the hue, by rank in a folder. */
const TINTS = [34, 28, 22, 16, 14]

type Child = Treemap_content$data['children'][number]
type Entry = Pick<Child, 'file' | 'bytes' | 'files' | 'changedAt'>

/** One box of the treemap, in reading order. */
type Drawn = {
  readonly key: string
  readonly box: Box
  readonly name: string
  readonly bytes: number
  readonly to: string
  readonly tip: string
  readonly look: 'top' | 'rest' | ''
  readonly tint: number
}

type Props = {
  readonly content: Treemap_content$key
  readonly name: string
  readonly hue: number
  readonly place: RoomPlace
}

/** The entries of a folder as boxes in proportion to their sizes, one list of links; arrow keys move to the neighbour. */
export function Treemap({ content, name, hue, place }: Props) {
  const data = useFragment(
    graphql`
      fragment Treemap_content on RoomContent {
        bytes
        others {
          count
          bytes
        }
        children {
          bytes
          files
          changedAt
          file {
            id
            name
            kind
          }
          children {
            bytes
            files
            changedAt
            file {
              id
              name
              kind
            }
          }
        }
      }
    `,
    content,
  )
  const [frame, width] = useWidth()
  const height = useIsMobile() ? HEIGHT_ON_PHONES : HEIGHT
  const list = useRef<HTMLUListElement>(null)
  const [current, setCurrent] = useState(0)
  // The outer boxes end where the frame does, without half a gap around them.
  const drawn = width > 0 ? draw(data, { x: 0, y: 0, width: width + 2 * INSET, height }, place) : []
  const reachable = Math.min(current, drawn.length - 1)

  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const direction = DIRECTIONS[event.key]
    if (!direction || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    // A folder with entries is reached by its name above them.
    const boxes = drawn.map(({ box, look }) => (look === 'top' ? { ...box, height: HEAD } : box))
    const next = neighbour(boxes, reachable, direction)
    if (next === null) return
    setCurrent(next)
    list.current?.querySelectorAll('a')[next]?.focus()
  }

  return (
    <div ref={frame}>
      <ul
        ref={list}
        className={styles.treemap}
        style={hueStyle(hue, { height })}
        aria-label={messages.bySize(name)}
        onKeyDown={onKeyDown}
      >
        {drawn.map((tile, index) => (
          <li key={tile.key}>
            <Tooltip text={tile.tip} describes>
              <Link
                to={tile.to}
                tabIndex={index === reachable ? 0 : -1}
                className={cx(tile.look && styles[tile.look])}
                style={{ ...positionOf(tile.box), '--t': `${tile.tint}%` } as React.CSSProperties}
                aria-label={messages.item(tile.name, formatBytes(tile.bytes))}
                onFocus={() => setCurrent(index)}
              >
                <Label tile={tile} />
              </Link>
            </Tooltip>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Only where it fits; the tooltip and the table always have it. */
function Label({ tile: { box, name, bytes, look } }: { tile: Drawn }) {
  if (box.width < LABEL.width || box.height < LABEL.height) return null
  return (
    <>
      <b>{name}</b>
      {(look === 'top' || box.height >= LABEL.two) && <span>{formatBytes(bytes)}</span>}
    </>
  )
}

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  [BACK]: 'back',
  [FORTH]: 'forth',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

function positionOf({ x, y, width, height }: Box) {
  return {
    insetInlineStart: x + INSET,
    top: y + INSET,
    width: Math.max(1, width - 2 * INSET),
    height: Math.max(1, height - 2 * INSET),
  }
}

function draw(data: Treemap_content$data, area: Box, place: RoomPlace): Drawn[] {
  const all = data.bytes
  const table = placePath({ ...place, view: 'table' })
  const shown = tilesOf(data.children, data.others.bytes, area)
  const named = shown.filter(({ item }) => item).length
  const smaller = data.children.filter(({ bytes }) => bytes > 0).length - named + data.others.count
  return shown.flatMap(({ box, bytes, item }): Drawn[] => {
    if (!item) return [restTile('rest', box, bytes, all, messages.smaller(smaller), table)]
    const inside = insideOf(box)
    const nested = inside && item.children.length > 0 ? nestedTiles(item, inside, all, place) : []
    const look = nested.length > 0 ? 'top' : ''
    return [tileOf(item, box, all, place, look, 24), ...nested]
  })
}

function insideOf({ x, y, width, height }: Box): Box | null {
  if (width < LEAST_WIDTH || height < LEAST_HEIGHT) return null
  return { x: x + MARGIN, y: y + HEAD, width: width - 2 * MARGIN, height: height - HEAD - MARGIN }
}

function nestedTiles(parent: Child, area: Box, all: number, place: RoomPlace): Drawn[] {
  const rest = parent.bytes - parent.children.reduce((sum, { bytes }) => sum + bytes, 0)
  return tilesOf(parent.children, rest, area).map(({ box, bytes, item }, index) =>
    item
      ? tileOf(item, box, all, place, '', TINTS[Math.min(index, TINTS.length - 1)] ?? 14)
      : restTile(`rest of ${parent.file.id}`, box, bytes, all, messages.more, entryPath(place, parent.file)),
  )
}

function tileOf(
  { file, bytes, files, changedAt }: Entry,
  box: Box,
  all: number,
  place: RoomPlace,
  look: Drawn['look'],
  tint: number,
): Drawn {
  const share = messages.tip(file.name, formatBytes(bytes), messages.share(bytes, all))
  const tip = changedAt ? `${share} ${messages.tipFiles(files, formatDay(changedAt))}` : share
  return { key: file.id, box, name: file.name, bytes, to: entryPath(place, file), tip, look, tint }
}

function restTile(key: string, box: Box, bytes: number, all: number, name: string, to: string): Drawn {
  const tip = messages.tip(name, formatBytes(bytes), messages.share(bytes, all))
  return { key, box, name, bytes, to, tip, look: 'rest', tint: 0 }
}

/** The width of an element, in whole pixels; 0 until it is measured. */
export function useWidth() {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => setWidth(Math.floor(element.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [frame, width] as const
}
