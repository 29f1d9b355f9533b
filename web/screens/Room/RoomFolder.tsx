import { ChevronRight, LayoutPanelLeft, LoaderCircle, Rows3 } from 'lucide-react'
import { Fragment, type KeyboardEvent, useDeferredValue, useEffect, useState } from 'react'
import { fetchQuery, graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import { Link } from 'react-router'
import query, { type RoomFolderQuery } from '../../__generated__/RoomFolderQuery.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatDay } from '../../lib/formatDate.ts'
import { isTyping } from '../../lib/keyboard.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { onServerChange } from '../../relay/changes.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import segmentedControlStyles from '../../ui/SegmentedControl.module.css'
import { messages } from './messages.ts'
import styles from './Room.module.css'
import { FileCards, MakeRoom, PartsBar, Swatch, TypesCard } from './RoomCards.tsx'
import { RoomTable } from './RoomTable.tsx'
import { placePath, type RoomPlace, type View } from './roomUrl.ts'
import { Treemap, useWidth } from './Treemap.tsx'

type Account = {
  readonly id: string
  readonly label: string
  readonly glyph: string
  readonly hue: number
  readonly statusReason: string | null | undefined
  readonly quota: { readonly usedBytes: number; readonly totalBytes: number | null | undefined }
}

type Props = {
  readonly place: RoomPlace
  readonly account: Account
  readonly onGo: (next: Partial<RoomPlace>, replace?: boolean) => void
}

type Room = NonNullable<RoomFolderQuery['response']['viewer']>['room']

/** What fills one folder of an account. */
export function RoomFolder({ place, account, onGo }: Props) {
  const room = useRoom(place, account.id)
  const [frame, width] = useWidth()
  if (!room) return null
  const { content, folder } = room
  const isPooled = room.home === 'POOL'
  const crumbs = crumbsOf(room, place, isPooled ? messages.pooled : account.label)
  const name = crumbs.at(-1)?.name ?? account.label
  // Narrower than this, boxes hold no names.
  const view: View = place.view ?? (width > 0 && width < 320 ? 'table' : 'treemap')
  const up = crumbs.at(-2)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Backspace' || !up || isTyping(event.target)) return
    event.preventDefault()
    onGo(up.place)
  }
  const drawing = { name, hue: account.hue, place: { ...place, account: account.id } }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Backspace goes up from every link inside; the path has links for it
    <div onKeyDown={onKeyDown} ref={frame}>
      <AccountLine room={room} account={account} />
      {account.statusReason && <Notice tone="warning">{account.statusReason}</Notice>}
      {!account.statusReason && room.account.index?.problem && (
        <Notice tone="warning">{room.account.index.problem}</Notice>
      )}
      <Parts room={room} account={account} place={place} />
      <div className={styles.grid}>
        <div className={styles.main}>
          <div className={styles.bar2}>
            <Crumbs crumbs={crumbs} account={account} />
            {content && (
              <span className="meta subtle num only-d">{messages.totalIn(formatBytes(content.bytes), isPooled)}</span>
            )}
            <ViewChoice view={view} onChange={(next) => onGo({ ...drawing.place, view: next }, true)} />
          </div>
          {!content && <Computing />}
          {content && content.files === 0 && <EmptyState title={messages.empty} text={messages.emptyText} />}
          {content && content.files > 0 && (
            <>
              {view === 'treemap' ? (
                <Treemap key={folder?.id ?? room.home} content={content} {...drawing} />
              ) : (
                <RoomTable content={content} {...drawing} />
              )}
              <p className={`meta subtle ${styles.hint}`}>
                {[
                  view === 'treemap' && messages.hint,
                  content.unsized > 0 && messages.unsized(content.unsized),
                  isPooled && messages.pooledHint,
                ]
                  .filter(Boolean)
                  .join(' ')}
              </p>
              <FileCards key={`files of ${folder?.id ?? room.home}`} content={content} />
            </>
          )}
        </div>
        <aside className={styles.aside}>
          {content && <TypesCard content={content} />}
          <MakeRoom room={room} />
        </aside>
      </div>
    </div>
  )
}

/** A thousand changes are a thousand events: one request in this time is enough. */
const EVERY_MS = 1_000

/** What the server says of the place; asked again after changes. While the next folder loads, this one stays. */
function useRoom(place: RoomPlace, accountId: string): Room | undefined {
  const asked = `${accountId} ${place.folder ?? ''} ${place.home ?? ''}`
  const [account = '', folder = '', home = ''] = useDeferredValue(asked).split(' ')
  const environment = useRelayEnvironment()
  const variables = {
    accountId: account,
    parentId: folder || null,
    home: home === 'ACCOUNT' || home === 'POOL' ? home : null,
  } as const
  const { viewer } = useLazyLoadQuery<RoomFolderQuery>(
    graphql`
      query RoomFolderQuery($accountId: ID!, $parentId: ID, $home: FileHome) {
        viewer {
          room(accountId: $accountId, parentId: $parentId, home: $home) {
            home
            asOf
            isComputing
            account {
              id
              index {
                phase
                entries
                problem
                rootFileId
              }
            }
            folder {
              id
              name
              path {
                id
                name
              }
            }
            parts {
              usedBytes
              inPlaceBytes
              pooledBytes
              trashBytes
              otherBytes
            }
            content {
              bytes
              files
              unsized
              ...Treemap_content
              ...RoomTable_content
              ...RoomCards_content
            }
            ...RoomCards_room
          }
        }
      }
    `,
    variables,
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  const { accountId: id, parentId, home: whose } = variables
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      const again = { accountId: id, parentId, home: whose }
      fetchQuery<RoomFolderQuery>(environment, query, again).subscribe({ error: () => undefined })
    }
    const stop = onServerChange(() => {
      timer ??= setTimeout(look, EVERY_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [environment, id, parentId, whose])
  return viewer?.room
}

type Crumb = { readonly id: string; readonly name: string; readonly place: Partial<RoomPlace> }

/** From the root of what is shown to the folder. */
function crumbsOf({ home, folder, account }: Room, place: RoomPlace, rootName: string): Crumb[] {
  const rootId = account.index?.rootFileId
  const isChosen = home === 'POOL' && rootId != null
  const root = { account: account.id, view: place.view, ...(isChosen && { home: 'POOL' as const }) }
  const folders = folder ? [...folder.path, folder].filter(({ id }) => id !== rootId) : []
  return [
    { id: 'root', name: rootName, place: root },
    ...folders.map(({ id, name }) => ({ id, name, place: { account: account.id, view: place.view, folder: id } })),
  ]
}

function Crumbs({ crumbs, account }: { crumbs: readonly Crumb[]; account: Account }) {
  return (
    <nav className={styles.crumbs} aria-label={messages.folder}>
      <AccountMark glyph={account.glyph} hue={account.hue} />
      <ol>
        {crumbs.map(({ id, name, place }, index) => (
          <Fragment key={id}>
            {index > 0 && <Icon icon={ChevronRight} size={14} className="subtle" />}
            <li>
              <Link
                className="ell"
                to={placePath(place)}
                aria-current={index === crumbs.length - 1 ? 'page' : undefined}
              >
                {name}
              </Link>
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  )
}

function ViewChoice({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's
    <div className={segmentedControlStyles.control} role="group" aria-label={messages.view}>
      <button
        type="button"
        aria-label={messages.treemap}
        aria-pressed={view === 'treemap'}
        onClick={() => onChange('treemap')}
      >
        <Icon icon={LayoutPanelLeft} />
      </button>
      <button
        type="button"
        aria-label={messages.table}
        aria-pressed={view === 'table'}
        onClick={() => onChange('table')}
      >
        <Icon icon={Rows3} />
      </button>
    </div>
  )
}

function AccountLine({ room, account }: { room: Room; account: Account }) {
  const { asOf, isComputing, parts } = room
  const index = room.account.index
  const used = formatBytes(parts.usedBytes)
  const total = account.quota.totalBytes
  const usage = total == null ? messages.used(used) : messages.usedOf(used, formatBytes(total))
  const listing = index?.phase === 'FIRST_PASS' ? messages.listing(index.entries) : ''
  return (
    <div className={styles.accountLine}>
      <AccountMark glyph={account.glyph} hue={account.hue} size={24} />
      <h2 className="h2 ell">{account.label}</h2>
      <span className="muted num">{usage}</span>
      <span className={`meta subtle num ${styles.asOf}`}>
        {[listing, asOf && messages.asOf(formatDay(asOf)), asOf && isComputing && messages.refreshing]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
  )
}

/** Tints of the account's hue. */
const PART_TINTS = [100, 64, 38, 20]

/** What the used space consists of: the parts add up to it. What can be walked into are links. */
function Parts({ room, account, place }: { room: Room; account: Account; place: RoomPlace }) {
  const { inPlaceBytes, pooledBytes, otherBytes, trashBytes } = room.parts
  const hue = account.hue === 0 ? 'var(--hue-local)' : `var(--hue-${account.hue})`
  const isIndexed = room.account.index != null
  const to = (home: 'ACCOUNT' | 'POOL') => placePath({ account: account.id, view: place.view, home })
  const all = [
    { label: messages.inPlace, bytes: isIndexed ? inPlaceBytes : 0, to: to('ACCOUNT'), home: 'ACCOUNT' },
    { label: messages.pooled, bytes: pooledBytes, to: isIndexed ? to('POOL') : null, home: 'POOL' },
    { label: messages.other, bytes: otherBytes, to: null, home: null },
    { label: messages.trash, bytes: trashBytes ?? 0, to: null, home: null },
  ].map((part, index) => ({
    ...part,
    color: `color-mix(in oklab, ${hue} ${PART_TINTS[index]}%, var(--raised))`,
    text: part.bytes == null ? messages.counting : formatBytes(part.bytes),
  }))
  const shown = all.filter(({ bytes, home }) => bytes !== 0 || (home !== null && isIndexed))
  if (shown.length === 0) return null
  const known = shown.flatMap(({ label, bytes, color }) => (bytes ? [{ label, bytes, color }] : []))
  const text = shown.map((part) => `${part.label} ${part.text}`).join(', ')
  return (
    <>
      <PartsBar parts={known} label={messages.partsLabel(text)} />
      <ul className={styles.legend}>
        {shown.map((part) => (
          <li key={part.label}>
            <Swatch color={part.color} />
            {part.to ? (
              <Link className={styles.home} to={part.to} aria-current={room.home === part.home ? 'true' : undefined}>
                {part.label}
              </Link>
            ) : (
              part.label
            )}
            <span className="strong num">{part.text}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function Computing() {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p className={styles.computing} role="status">
      {isLong && (
        <>
          <Icon icon={LoaderCircle} className={styles.spinner} />
          {messages.computing}
        </>
      )}
    </p>
  )
}
