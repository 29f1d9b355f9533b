import { PenLine, Plus } from 'lucide-react'
import { type FormEvent, Suspense, useId, useRef, useState } from 'react'
import { graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { TagsDialogQuery } from '../../__generated__/TagsDialogQuery.graphql.ts'
import { nameText } from '../../lib/nameText.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { fieldErrorsOf, reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { TextField } from '../../ui/Input.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { COLORS, type Color, labelStyle, messages } from './labels.ts'
import { TagForm } from './TagForm.tsx'
import styles from './Tags.module.css'
import { createTag, type NewTag } from './tagChanges.ts'

type Props = {
  /** The files and folders that get tags; empty: the tags themselves are managed. */
  readonly ids: readonly string[]
  /** What they are, as text. */
  readonly description?: string
  /** Puts a tag on all of them, or takes it off. */
  readonly onChange: (tag: NewTag, isOn: boolean) => Promise<void>
  readonly onClose: () => void
}

/** The tags of files: ticks what they have; creates, renames, recolours and deletes tags. Import it lazily, like Dialog. */
export function TagsDialog({ ids, description, onChange, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={ids.length > 0 ? messages.title : messages.manageTitle}
      description={description}
      initialFocus={field}
    >
      <RetryBoundary>
        <Suspense fallback={<Skeleton height={232} />}>
          <Body ids={ids} onChange={onChange} field={field} />
        </Suspense>
      </RetryBoundary>
    </Dialog>
  )
}

/** What is ticked is read of so many; of more, a tag that all of these have counts as on all. */
const MOST_READ = 100

type BodyProps = Pick<Props, 'ids' | 'onChange'> & { readonly field: React.RefObject<HTMLInputElement | null> }

function Body({ ids, onChange, field }: BodyProps) {
  const environment = useRelayEnvironment()
  const data = useLazyLoadQuery<TagsDialogQuery>(
    graphql`
      query TagsDialogQuery($ids: [ID!]!) {
        viewer {
          id
          tags { id name color }
        }
        nodes(ids: $ids) {
          id
          ... on File { tags { id } }
        }
      }
    `,
    { ids: ids.slice(0, MOST_READ) },
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [edited, setEdited] = useState<string | null>(null)
  const formId = useId()
  const tags = data.viewer?.tags ?? []
  const typed = text.trim().toLowerCase()
  const shown = tags.filter(({ name }) => name.toLowerCase().includes(typed))
  const same = tags.find(({ name }) => name.toLowerCase() === typed)
  const stateOf = (id: string) => stateOn(data.nodes, id)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (typed === '') return
    // The next name can be entered while this one is on its way.
    setText('')
    try {
      const tag = same ?? (await createTag(environment, text, nextColor(tags)))
      if (ids.length > 0) await onChange(tag, !same || stateOf(same.id) !== true)
    } catch (error) {
      setText((now) => now || text)
      setProblem(fieldErrorsOf(error).name ?? reasonOf(error))
    }
  }
  return (
    <>
      <form id={formId} noValidate onSubmit={submit}>
        <TextField
          ref={field}
          label={messages.field}
          hint={messages.fieldHint}
          error={problem}
          value={text}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          // The dialog has opened before the tags were there.
          autoFocus
          onChange={(event) => {
            setText(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
      </form>
      <ul className={styles.list} aria-label={messages.title}>
        {shown.map(({ id, name, color }) => (
          <li key={id}>
            {edited === id ? (
              <TagForm tag={{ id, name, color: color as Color }} onClose={() => setEdited(null)} />
            ) : (
              <div className={styles.line}>
                {ids.length > 0 ? (
                  <label htmlFor={`${formId}-${id}`}>
                    <Checkbox
                      id={`${formId}-${id}`}
                      checked={stateOf(id)}
                      onChange={(isOn) => void onChange({ id, name }, isOn)}
                    />
                    <Name name={name} color={color} />
                  </label>
                ) : (
                  <span className="hstack grow">
                    <Name name={name} color={color} />
                  </span>
                )}
                <IconButton
                  label={messages.edit(name)}
                  icon={PenLine}
                  iconSize={14}
                  size="sm"
                  onClick={() => setEdited(id)}
                />
              </div>
            )}
          </li>
        ))}
        {typed !== '' && !same && (
          <li>
            <Button type="submit" form={formId} variant="accent" icon={Plus}>
              {messages.create(text.trim())}
            </Button>
          </li>
        )}
        {tags.length === 0 && typed === '' && <li className="meta subtle px-2">{messages.empty}</li>}
      </ul>
    </>
  )
}

const Name = ({ name, color }: { readonly name: string; readonly color: string }) => (
  <>
    <i className={styles.dot} style={labelStyle(color)} />
    <span className="ell">{nameText(name)}</span>
  </>
)

type Tagged = TagsDialogQuery['response']['nodes'][number]

/** Whether all of the files have the tag; 'mixed': some. */
function stateOn(files: readonly Tagged[], tagId: string): boolean | 'mixed' {
  const known = files.flatMap((file) => file?.tags ?? [])
  const count = known.filter(({ id }) => id === tagId).length
  if (count === 0) return false
  return count === files.length ? true : 'mixed'
}

/** The colour that the fewest tags have. */
function nextColor(tags: readonly { readonly color: string }[]): Color {
  const countOf = (color: Color) => tags.filter((tag) => tag.color === color).length
  return COLORS.toSorted((a, b) => countOf(a) - countOf(b))[0] ?? 'BLUE'
}
