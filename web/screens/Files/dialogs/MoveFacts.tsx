import { ArrowRightLeft, Clock, Layers, type LucideIcon, Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { MoveFactsQuery, MoveFactsQuery$data } from '../../../__generated__/MoveFactsQuery.graphql.ts'
import { GroupCloudSelect } from '../../../features/Upload/GroupCloudSelect.tsx'
import { formatBytes } from '../../../lib/formatBytes.ts'
import { useRetryKey } from '../../../lib/retryKey.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import styles from './MoveDialog.module.css'

/** What the dialog needs to know: the size for its button, and whether there is a group cloud to choose. */
export type MoveFacts = { readonly bytes: number; readonly isCarried: boolean }

type Props = {
  readonly kind: 'move' | 'copy'
  readonly ids: readonly string[]
  readonly parentId: string | null
  /** Null: the default one. */
  readonly groupCloudId: string | null
  readonly onGroupCloud: (id: string) => void
  readonly onFacts: (facts: MoveFacts) => void
}

/** What copying or moving will do, before it is done; with the group cloud for what goes into one. */
export function MoveFacts({ kind, ids, parentId, groupCloudId, onGroupCloud, onFacts }: Props) {
  const { viewer } = useLazyLoadQuery<MoveFactsQuery>(
    graphql`
      query MoveFactsQuery($kind: JobKind!, $ids: [ID!]!, $parentId: ID) {
        viewer {
          id
          ...GroupCloudSelect_viewer
          groupClouds {
            id
            name
            copies
            defaultUploadGroup
          }
          jobPreview(kind: $kind, ids: $ids, parentId: $parentId) {
            files
            folders
            bytes
            skipped
            isMore
            isCarried
            fromAccounts {
              id
              name
            }
            toAccount {
              id
              name
            }
          }
        }
      }
    `,
    { kind: kind === 'move' ? 'MOVE' : 'COPY', ids, parentId },
    { fetchKey: useRetryKey(), fetchPolicy: 'store-and-network' },
  )
  const preview = viewer?.jobPreview
  const bytes = preview?.bytes ?? 0
  const isCarried = preview?.isCarried ?? false
  useEffect(() => onFacts({ bytes, isCarried }), [bytes, isCarried, onFacts])
  if (!viewer || !preview) return null
  if (!isCarried) return <p className="meta subtle">{withinText(kind, preview)}</p>
  const cloud =
    viewer.groupClouds.find(({ id }) => id === groupCloudId) ??
    viewer.groupClouds.find(({ defaultUploadGroup }) => defaultUploadGroup)
  const intoCloud = preview.toAccount ? null : cloud
  return (
    <>
      {!preview.toAccount && (
        <GroupCloudSelect viewer={viewer} value={cloud?.id ?? null} onChange={onGroupCloud} disabled={false} />
      )}
      <h3 className={`${styles.heading} h3`}>What will happen</h3>
      <ul className={styles.facts}>
        {factsOf(kind, preview, intoCloud ?? null).map((fact) => (
          <li key={fact.title}>
            <Icon icon={fact.icon} />
            <div>
              <b className="num">{fact.title}</b>
              <p>{fact.text}</p>
            </div>
          </li>
        ))}
      </ul>
      {preview.skipped > 0 && (
        <Notice>
          <b>{skippedText(preview.skipped)}</b> They have no file to {kind === 'move' ? 'move' : 'copy'}.
        </Notice>
      )}
    </>
  )
}

type Viewer = NonNullable<MoveFactsQuery$data['viewer']>
type Preview = Viewer['jobPreview']
type GroupCloud = Pick<Viewer['groupClouds'][number], 'name' | 'copies'>
type Fact = { readonly icon: LucideIcon; readonly title: string; readonly text: string }

const count = (number: number, one: string, many: string) =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`

function withinText(kind: Props['kind'], { fromAccounts, toAccount }: Preview): string {
  if (kind === 'move' && toAccount) return `“${toAccount.name}” moves it itself; nothing is copied.`
  return fromAccounts.length === 0 && kind === 'move' ? 'Only the folder changes; nothing is copied.' : ''
}

function factsOf(kind: Props['kind'], preview: Preview, cloud: GroupCloud | null): Fact[] {
  const { bytes, files, folders, isMore, fromAccounts, toAccount } = preview
  const names = fromAccounts.map(({ name }) => `“${name}”`).join(', ')
  const trash = names === '' ? 'Originals go to the trash' : `Originals go to the trash of ${names}`
  return [
    {
      icon: ArrowRightLeft,
      title: `${isMore ? 'More than ' : ''}${formatBytes(bytes)} go through this server`,
      text: `${isMore ? 'More than ' : ''}${count(files, 'file', 'files')}${folders > 0 ? ` in ${count(folders, 'folder', 'folders')}` : ''}. The tree and the dates are kept.`,
    },
    {
      icon: Clock,
      title: 'In the background',
      text: 'It continues when you close this page. You can pause it.',
    },
    ...(cloud
      ? [
          {
            icon: Layers,
            title: `${count(cloud.copies, 'copy', 'copies')}, ${formatBytes(bytes * cloud.copies)} of ${cloud.name}`,
            text: cloud.copies > 1 ? `On different accounts, as ${cloud.name} is set.` : `As ${cloud.name} is set.`,
          },
        ]
      : []),
    ...(toAccount ? [{ icon: Layers, title: `Stored in “${toAccount.name}”`, text: 'Under their own names.' }] : []),
    ...(kind === 'move' ? [{ icon: Trash2, title: trash, text: 'After everything is stored and verified.' }] : []),
  ]
}

function skippedText(skipped: number): string {
  return skipped === 1
    ? '1 document or shortcut stays where it is.'
    : `${skipped.toLocaleString('en')} documents and shortcuts stay where they are.`
}
