import { ChevronDown, ChevronRight, Download } from 'lucide-react'
import { useMemo, useState } from 'react'
import { saveBlob, saveByLink } from '../../../lib/downloadBytes.ts'
import { formatBytes } from '../../../lib/formatBytes.ts'
import { nameText } from '../../../lib/nameText.ts'
import { Button } from '../../../ui/Button.tsx'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { toast } from '../../../ui/toast.ts'
import type { ByteReader } from '../byteReader.ts'
import { messages } from '../messages.ts'
import paper from '../Preview.module.css'
import { reasonOfPreview } from '../previewError.ts'
import type { ContentProps } from '../useContent.ts'
import { useContent } from '../useContent.ts'
import { Waiting } from '../Waiting.tsx'
import styles from './Archive.module.css'
import {
  type ArchiveEntry,
  type ArchiveKind,
  MOST_ENTRIES,
  readArchive,
  sortedChildren,
  type TreeNode,
  treeOf,
} from './archive.ts'

/** Children of a folder that are shown at first, and added by each "Show more". */
const PART = 200

type Props = ContentProps & { readonly kind: ArchiveKind }

/** What is in an archive, as a tree; single files can be extracted and downloaded. */
export function ArchivePreview({ kind, name, url, size, cannotShow }: Props) {
  const load = useMemo(
    () => (file: ByteReader, signal: AbortSignal) => readArchive(kind, url, file, signal),
    [kind, url],
  )
  const { value, reason } = useContent(url, size, load)
  const root = useMemo(() => value && treeOf(value.entries), [value])
  if (reason !== null) return cannotShow(reason)
  if (!value || !root) return <Waiting />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={paper.paper} tabIndex={0} aria-label={nameText(name)}>
      <p className={styles.summary}>
        {value.entries.length === 0 ? messages.emptyArchive : messages.entries(value.entries.length)}
      </p>
      <Children of={root} depth={0} />
      {value.isCut && (
        <p className={paper.cut}>
          {value.entries.length < MOST_ENTRIES ? messages.archiveCut : messages.entriesCut(MOST_ENTRIES)}
        </p>
      )}
    </section>
  )
}

function Children({ of, depth }: { of: TreeNode; depth: number }) {
  const [shown, setShown] = useState(PART)
  const children = useMemo(() => sortedChildren(of), [of])
  const left = children.length - shown
  return (
    <ul className={styles.list}>
      {children.slice(0, shown).map((node, index) => (
        <li key={index}>
          {node.entry ? <Entry node={node} entry={node.entry} depth={depth} /> : <Folder node={node} depth={depth} />}
        </li>
      ))}
      {left > 0 && (
        <li className={styles.row}>
          <Button size="sm" onClick={() => setShown(shown + PART)}>
            {messages.showMore(Math.min(left, PART))}
          </Button>
        </li>
      )}
    </ul>
  )
}

function Folder({ node, depth }: { node: TreeNode; depth: number }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className={styles.row}
        style={{ paddingInlineStart: indentOf(depth) }}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon icon={isOpen ? ChevronDown : ChevronRight} />
        <FileIcon category="FOLDER" />
        <span className={styles.name}>{nameText(node.name)}</span>
        <span className="meta subtle num">{messages.entries(node.children?.size ?? 0)}</span>
      </button>
      {isOpen && <Children of={node} depth={depth + 1} />}
    </>
  )
}

function Entry({ node, entry, depth }: { node: TreeNode; entry: ArchiveEntry; depth: number }) {
  const [isBusy, setBusy] = useState(false)
  const name = nameText(node.name)
  const save = async () => {
    setBusy(true)
    try {
      saveBlob(new Blob([await entry.extract(new AbortController().signal)]), node.name, saveByLink)
    } catch (error) {
      toast.error(messages.entryFailed(name), { description: reasonSentence(error) })
    }
    setBusy(false)
  }
  return (
    <div className={styles.row} style={{ paddingInlineStart: indentOf(depth) + 24 }}>
      <FileIcon category="OTHER" />
      <span className={styles.name}>{name}</span>
      {entry.refusal && <span className="meta subtle">{entry.refusal}</span>}
      <span className="meta subtle num">{formatBytes(entry.size)}</span>
      <IconButton
        label={messages.downloadEntry(name)}
        icon={Download}
        size="sm"
        disabled={entry.refusal !== null || isBusy}
        onClick={() => void save()}
      />
    </div>
  )
}

const indentOf = (depth: number): number => 16 + Math.min(depth, 8) * 16

function reasonSentence(error: unknown): string {
  const reason = reasonOfPreview(error)
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`
}
