import { ChevronRight, Copy, type LucideIcon, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { RoomCards_content$data, RoomCards_content$key } from '../../__generated__/RoomCards_content.graphql.ts'
import type { RoomCards_room$key } from '../../__generated__/RoomCards_room.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatDay } from '../../lib/formatDate.ts'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { messages, TYPE_NAMES } from './messages.ts'
import styles from './Room.module.css'

/** Steps of the accent: hue would mean an account. */
const STEPS = [100, 72, 50, 32, 18]
const shade = (index: number) =>
  `color-mix(in oklab, var(--accent-text) ${STEPS[Math.min(index, STEPS.length - 1)]}%, var(--bg-strong))`

/** The biggest and the oldest files of a folder, and its types. */
export function FileCards({ content }: { content: RoomCards_content$key }) {
  const data = useContent(content)
  return (
    <div className={styles.two}>
      <FileList title={messages.biggest} files={data.biggest} />
      <FileList
        title={messages.oldest}
        note={data.untouched.bytes > 0 ? messages.untouched(formatBytes(data.untouched.bytes)) : ''}
        files={data.oldest}
        isDated
      />
    </div>
  )
}

function useContent(content: RoomCards_content$key): RoomCards_content$data {
  return useFragment(
    graphql`
      fragment RoomCards_content on RoomContent {
        untouched {
          bytes
        }
        types {
          category
          bytes
        }
        biggest {
          ...RoomCards_file @relay(mask: false)
        }
        oldest {
          ...RoomCards_file @relay(mask: false)
        }
      }
    `,
    content,
  )
}

void graphql`
  fragment RoomCards_file on RoomFile {
    bytes
    changedAt
    path
    file {
      id
      name
      category
    }
  }
`

const FIRST = 3

type ListProps = {
  readonly title: string
  readonly note?: string
  readonly files: RoomCards_content$data['biggest']
  readonly isDated?: boolean
}

function FileList({ title, note = '', files, isDated = false }: ListProps) {
  const id = useId()
  const [isAll, setAll] = useState(false)
  if (files.length === 0) return null
  return (
    <section className={cardStyles.card} aria-labelledby={id}>
      <div className={styles.cardHead}>
        <h2 className="h3" id={id}>
          {title}
        </h2>
        <span className="meta subtle num grow">{note}</span>
        {files.length > FIRST && (
          <Button size="sm" variant="ghost" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? messages.fewer : messages.all(files.length)}
          </Button>
        )}
      </div>
      <ul className={styles.rows}>
        {files.slice(0, isAll ? files.length : FIRST).map(({ file, bytes, changedAt, path }) => (
          <li key={file.id}>
            <Link to={`/file-manager?preview=${encodeURIComponent(file.id)}`}>
              <FileIcon category={file.category} />
              <span className="grow">
                <span className={styles.fileName}>
                  <FileName name={file.name} />
                </span>
                <span className="meta subtle ell block">
                  {[path.join(' / '), isDated && changedAt && formatDay(changedAt)].filter(Boolean).join(' · ')}
                </span>
              </span>
              <span className="meta num muted">{formatBytes(bytes)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

type Part = { readonly label: string; readonly bytes: number }

/** The largest types one by one, the others together. */
function typeParts(types: readonly { readonly category: string; readonly bytes: number }[]): Part[] {
  const label = (category: string) => TYPE_NAMES[category] ?? TYPE_NAMES.OTHER ?? category
  const sized = types.filter(({ bytes }) => bytes > 0).toSorted((a, b) => b.bytes - a.bytes)
  const named = sized.filter(({ category }) => category !== 'OTHER')
  const shown = named.slice(0, STEPS.length - 1)
  const rest = sized.filter((type) => !shown.includes(type)).reduce((sum, { bytes }) => sum + bytes, 0)
  const parts = shown.map(({ category, bytes }) => ({ label: label(category), bytes }))
  return rest > 0 ? [...parts, { label: label('OTHER'), bytes: rest }] : parts
}

export function TypesCard({ content }: { content: RoomCards_content$key }) {
  const parts = typeParts(useContent(content).types)
  const id = useId()
  if (parts.length === 0) return null
  const text = parts.map(({ label, bytes }) => `${label} ${formatBytes(bytes)}`).join(', ')
  return (
    <section className={cardStyles.card} aria-labelledby={id}>
      <div className={styles.cardHead}>
        <h2 className="h3 grow" id={id}>
          {messages.byType}
        </h2>
      </div>
      <div className={styles.types}>
        <PartsBar
          parts={parts.map((part, index) => ({ ...part, color: shade(index) }))}
          label={messages.typesLabel(text)}
        />
        <ul>
          {parts.map(({ label, bytes }, index) => (
            <li key={label}>
              <Swatch color={shade(index)} />
              <span className="muted grow">{label}</span>
              <span className="num">{formatBytes(bytes)}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

export type ColoredPart = Part & { readonly color: string }

/** Parts of a whole in one bar. */
export function PartsBar({ parts, label }: { parts: readonly ColoredPart[]; label: string }) {
  return (
    <div className={styles.parts} role="img" aria-label={label}>
      {parts.map(({ label: name, bytes, color }) => (
        <i key={name} style={{ flexGrow: bytes, background: color }} />
      ))}
    </div>
  )
}

export function Swatch({ color }: { color: string }) {
  return <span className={styles.swatch} style={{ background: color }} aria-hidden />
}

/** What could be removed without losing anything. */
export function MakeRoom({ room }: { room: RoomCards_room$key }) {
  const { account, parts, wasted } = useFragment(
    graphql`
      fragment RoomCards_room on Room {
        account {
          provider
          providerName
        }
        parts {
          trashBytes
          pooledTrashBytes
        }
        wasted {
          groups
          bytes
        }
      }
    `,
    room,
  )
  const id = useId()
  const isLocal = account.provider === 'local'
  return (
    <section className={cardStyles.card} aria-labelledby={id}>
      <div className={styles.cardHead}>
        <h2 className="h3 grow" id={id}>
          {messages.makeRoom}
        </h2>
      </div>
      <ul className={styles.rows}>
        <Saving
          icon={Copy}
          name={messages.duplicates}
          note={wasted ? messages.groups(wasted.groups) : ''}
          size={wasted ? formatBytes(wasted.bytes) : messages.counting}
          to="/file-manager/duplicates"
        />
        {!isLocal && (
          <Saving
            icon={Trash2}
            name={messages.trashOf(account.providerName)}
            note={parts.trashBytes == null ? messages.trashUnknown : messages.trashCounts}
            size={parts.trashBytes == null ? messages.unknown : formatBytes(parts.trashBytes)}
          />
        )}
        <Saving
          icon={Trash2}
          name={messages.ownTrash}
          note={messages.ownTrashCounts}
          size={formatBytes(parts.pooledTrashBytes)}
          to="/file-manager/trash"
        />
      </ul>
    </section>
  )
}

type SavingProps = { icon: LucideIcon; name: string; note: string; size: string; to?: string }

function Saving({ icon, name, note, size, to }: SavingProps) {
  const row = (
    <>
      <Icon icon={icon} className="subtle" />
      <span className="grow">
        <span className="strong block">{name}</span>
        <span className="meta subtle block">{note}</span>
      </span>
      <span className="meta num muted">{size}</span>
      {to && <Icon icon={ChevronRight} size={14} className="subtle" />}
    </>
  )
  return <li>{to ? <Link to={to}>{row}</Link> : <div>{row}</div>}</li>
}
