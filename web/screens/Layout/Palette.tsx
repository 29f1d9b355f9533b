import { Dialog, DialogBackdrop, DialogPanel } from '@headlessui/react'
import { History, TextSearch } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { fetchQuery, graphql, useRelayEnvironment } from 'react-relay'
import { useNavigate } from 'react-router'
import type { PalettePlacesQuery, PalettePlacesQuery$data } from '../../__generated__/PalettePlacesQuery.graphql.ts'
import type { PaletteQuery, PaletteQuery$data } from '../../__generated__/PaletteQuery.graphql.ts'
import { labelIcon } from '../../features/Tags/labels.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { cx } from '../../lib/cx.ts'
import { nameText } from '../../lib/nameText.ts'
import { readRecentSearches } from '../../lib/recentSearches.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import sheetStyles from '../../ui/Sheet.module.css'
import styles from './Palette.module.css'
import { matchesTyped, matchingItems, type PaletteItem } from './paletteItems.ts'

const messages = {
  title: 'Go to',
  placeholder: 'Search files, accounts, pages and actions',
  recent: 'Recent searches',
  files: 'Files and folders',
  accounts: 'Accounts',
  tags: 'Tags',
  pages: 'Pages',
  actions: 'Actions',
  all: (text: string) => `Search all files for “${text}”`,
  none: 'Nothing found',
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
} as const

/** Between the last key and the search. */
const PAUSE_MS = 150

const query = graphql`
  query PaletteQuery($query: String!) {
    viewer {
      files(view: ALL, query: $query, first: 6) {
        edges {
          node {
            id
            name
            kind
            category
            path {
              id
              name
            }
          }
        }
      }
    }
  }
`

const placesQuery = graphql`
  query PalettePlacesQuery {
    viewer {
      id
      accounts {
        id
        name
        provider
        providerName
        glyph
        hue
        index { rootFileId }
      }
      tags { id name color }
    }
  }
`

type Places = PalettePlacesQuery$data['viewer']
type Hit = NonNullable<PaletteQuery$data['viewer']>['files']['edges'][number]['node']
type Option = { readonly id: string; readonly act: () => void; readonly content: ReactNode }
type Group = { readonly title: string; readonly options: readonly Option[] }

type Props = {
  /** What was typed before it opened. */
  readonly typed: RefObject<string>
  readonly onClose: () => void
}

/** A dialog that leads anywhere by a few letters: to files, folders and pages, and to what can be done from everywhere. */
export function Palette({ typed, onClose }: Props) {
  const navigate = useNavigate()
  const list = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(() => typed.current)
  const [active, setActive] = useState(0)
  const { hits, problem } = useHits(text.trim())

  const go = (to: string) => () => {
    onClose()
    void navigate(to)
  }
  const places = usePlaces()
  const groups = groupsOf({ text: text.trim(), hits, places }, go, onClose)
  const options = groups.flatMap((group) => group.options)
  const current = Math.min(active, options.length - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && options.length > 0) {
      event.preventDefault()
      setActive((current + step + options.length) % options.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      options[current]?.act()
    }
  }
  const idOf = (option: Option | undefined) => option && `${list}-${option.id}`
  return (
    <Dialog open onClose={onClose} initialFocus={field} aria-label={messages.title}>
      <DialogBackdrop transition className={sheetStyles.backdrop} />
      <div className={styles.place}>
        <DialogPanel transition className={styles.palette}>
          <div className={styles.field}>
            <Icon icon={TextSearch} />
            <input
              ref={field}
              role="combobox"
              aria-label={messages.placeholder}
              aria-expanded
              aria-controls={list}
              aria-activedescendant={idOf(options[current])}
              placeholder={messages.placeholder}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value)
                setActive(0)
              }}
              onKeyDown={onKeyDown}
            />
          </div>
          <div id={list} role="listbox" aria-label={messages.title} className={styles.list}>
            {groups.map(({ title, options: ofGroup }) => (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a list of options
              <div key={title} role="group" aria-label={title}>
                <p className={styles.heading} aria-hidden>
                  {title}
                </p>
                {ofGroup.map((option) => (
                  <Row
                    key={option.id}
                    id={idOf(option)}
                    option={option}
                    isActive={option === options[current]}
                    onPoint={() => setActive(options.indexOf(option))}
                  />
                ))}
              </div>
            ))}
          </div>
          {problem !== null && <p className={styles.note}>{problem}</p>}
          {options.length === 0 && problem === null && <p className={styles.note}>{messages.none}</p>}
          <p className="sr-only" role="status">
            {messages.found(options.length)}
          </p>
        </DialogPanel>
      </div>
    </Dialog>
  )
}

type RowProps = { id: string | undefined; option: Option; isActive: boolean; onPoint: () => void }

function Row({ id, option, isActive, onPoint }: RowProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      className={cx(styles.row, isActive && styles.isActive)}
      onPointerMove={onPoint}
      onClick={option.act}
    >
      {option.content}
    </div>
  )
}

type Known = { readonly text: string; readonly hits: readonly Hit[]; readonly places: Places }

function groupsOf({ text, hits, places }: Known, go: (to: string) => () => void, onClose: () => void): Group[] {
  const { pages, actions } = matchingItems(text)
  const run = (act: () => void) => () => {
    onClose()
    act()
  }
  const all = {
    id: 'search',
    act: go(searchAddress(text)),
    content: <Line icon={<Icon icon={TextSearch} />} label={messages.all(text)} />,
  }
  const files = hits.map((hit) => ({
    id: hit.id,
    act: go(addressOf(hit)),
    content: <Line icon={<FileIcon category={hit.category} />} label={<FileName name={hit.name} />} where={hit.path} />,
  }))
  const toOption = (item: PaletteItem): Option => ({
    id: item.id,
    act: 'to' in item ? go(item.to) : run(item.run),
    content: <Line icon={<Icon icon={item.icon} />} label={item.label} />,
  })
  const groups = [
    { title: messages.recent, options: text === '' && places ? recentOptions(places.id, go) : [] },
    { title: messages.files, options: text === '' ? [] : [...files, all] },
    { title: messages.accounts, options: text === '' ? [] : accountOptions(places, text, go) },
    { title: messages.tags, options: text === '' ? [] : tagOptions(places, text, go) },
    { title: messages.pages, options: pages.map(toOption) },
    { title: messages.actions, options: actions.map(toOption) },
  ]
  return groups.filter(({ options }) => options.length > 0)
}

function recentOptions(userId: string, go: (to: string) => () => void): Option[] {
  return readRecentSearches(userId).map((search, index) => ({
    id: `recent-${index}`,
    act: go(searchAddress(search)),
    content: <Line icon={<Icon icon={History} />} label={nameText(search)} />,
  }))
}

/** An account whose files are shown leads to them, another one to its card. */
function accountOptions(places: Places, text: string, go: (to: string) => () => void): Option[] {
  const found = places?.accounts.filter((account) => matchesTyped(text, accountLabel(account))) ?? []
  return found.map((account) => ({
    id: account.id,
    act: go(account.index?.rootFileId ? folderAddress(account.index.rootFileId) : '/cloud-integration'),
    content: (
      <Line
        icon={<AccountMark glyph={account.glyph} hue={account.hue} />}
        label={<FileName name={accountLabel(account)} />}
      />
    ),
  }))
}

/** Everything that has the tag. */
function tagOptions(places: Places, text: string, go: (to: string) => () => void): Option[] {
  const found = places?.tags.filter(({ name }) => matchesTyped(text, name)) ?? []
  return found.map(({ id, name, color }) => ({
    id,
    act: go(`/file-manager?tag=${encodeURIComponent(id)}`),
    content: <Line icon={<Icon icon={labelIcon(color)} />} label={nameText(name)} />,
  }))
}

const searchAddress = (text: string): string => `/file-manager?q=${encodeURIComponent(text)}`
const folderAddress = (id: string): string => `/file-manager/my-drive?folder=${encodeURIComponent(id)}`

type LineProps = { icon: ReactNode; label: ReactNode; where?: readonly { readonly name: string }[] }

function Line({ icon, label, where }: LineProps) {
  const drive = 'My Drive'
  return (
    <>
      <span className={styles.icon}>{icon}</span>
      <span className="grow ell">{label}</span>
      {where && (
        <span className={`${styles.where} ell`}>{[drive, ...where.map(({ name }) => nameText(name))].join(' / ')}</span>
      )}
    </>
  )
}

/** A folder is opened; a file is shown in its folder, selected. */
function addressOf({ id, kind, path }: Hit): string {
  const folder = kind === 'FOLDER' ? id : path.at(-1)?.id
  const params = new URLSearchParams({ ...(folder && { folder }), ...(kind === 'FILE' && { file: id }) })
  return `/file-manager/my-drive?${params}`
}

/** Accounts and whose searches are remembered; null until they are known. Without them the rest works. */
function usePlaces(): Places {
  const environment = useRelayEnvironment()
  const [places, setPlaces] = useState<Places>(null)
  useEffect(() => {
    const asked = fetchQuery<PalettePlacesQuery>(environment, placesQuery, {}, { fetchPolicy: 'store-or-network' })
    const subscription = asked.subscribe({
      next: ({ viewer }) => setPlaces(viewer),
      error: (error: Error) => console.warn('The accounts could not be read', error),
    })
    return () => subscription.unsubscribe()
  }, [environment])
  return places
}

/** The files that are found, after a pause; those of the text before stay until then. */
function useHits(text: string): { hits: readonly Hit[]; problem: string | null } {
  const environment = useRelayEnvironment()
  const [found, setFound] = useState<{ hits: readonly Hit[]; problem: string | null }>({ hits: [], problem: null })
  useEffect(() => {
    let subscription: { unsubscribe: () => void } | undefined
    const timer = setTimeout(
      () => {
        if (text === '') return setFound({ hits: [], problem: null })
        subscription = fetchQuery<PaletteQuery>(environment, query, { query: text }).subscribe({
          next: ({ viewer }) => setFound({ hits: viewer?.files.edges.map(({ node }) => node) ?? [], problem: null }),
          error: (error: Error) => setFound({ hits: [], problem: reasonOf(error) }),
        })
      },
      text === '' ? 0 : PAUSE_MS,
    )
    return () => {
      clearTimeout(timer)
      subscription?.unsubscribe()
    }
  }, [environment, text])
  return found
}
