import { type FormEvent, useEffect, useRef, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { UploadLinkList_folder$key } from '../../__generated__/UploadLinkList_folder.graphql.ts'
import type {
  UploadLinkList_link$data,
  UploadLinkList_link$key,
} from '../../__generated__/UploadLinkList_link.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatFullDate, formatRelative } from '../../lib/formatDate.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { LinkLine } from '../Share/ShareLink.tsx'
import { LinkFields } from './LinkFields.tsx'
import { changesOf, formErrors, formOf } from './linkForm.ts'
import { messages } from './messages.ts'
import { revokeUploadLink } from './revokeUploadLink.ts'
import styles from './UploadLinks.module.css'
import { updateUploadLink } from './updateUploadLink.ts'

/** The upload links of a folder that have not ended, newest first. */
export function UploadLinkList({ folder }: { folder: UploadLinkList_folder$key }) {
  const { uploadLinks } = useFragment(
    graphql`
      fragment UploadLinkList_folder on File {
        uploadLinks {
          id
          ...UploadLinkList_link
        }
      }
    `,
    folder,
  )
  return (
    <ul>
      {uploadLinks.map((link) => (
        <li key={link.id} className={styles.card}>
          <UploadLink link={link} />
        </li>
      ))}
    </ul>
  )
}

/** One link: its title and address, what has arrived, and its actions. */
function UploadLink({ link: key }: { link: UploadLinkList_link$key }) {
  const link = useFragment(
    graphql`
      fragment UploadLinkList_link on UploadLink {
        id
        url
        state
        title
        message
        hasPassword
        expiresAt
        maxFiles
        maxBytes
        maxFileBytes
        asksName
        notifies
        files
        bytes
        lastFileAt
      }
    `,
    key,
  )
  const [open, setOpen] = useState<'change' | 'end' | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <p className="ell mb-2 font-medium" title={link.title}>
        {link.title}
      </p>
      <LinkLine label={messages.linkLabel} copyLabel={messages.copy} url={link.url} />
      {open === null && (
        <div className={styles.facts}>
          <Facts link={link} />
          <Button size="sm" variant="ghost" onClick={() => setOpen('change')}>
            {messages.change}
          </Button>
          <Button size="sm" variant="danger" onClick={() => setOpen('end')}>
            {messages.end}
          </Button>
        </div>
      )}
      {open === 'change' && <ChangeLink link={link} onClose={close} />}
      {open === 'end' && <EndLink id={link.id} onClose={close} />}
    </>
  )
}

function Facts({ link }: { link: UploadLinkList_link$data }) {
  const { hasPassword, expiresAt, files, bytes, maxFiles, lastFileAt, state } = link
  const size = formatBytes(Number(bytes))
  const arrived = maxFiles ? messages.arrivedOf(files, maxFiles, size) : messages.arrived(files, size)
  const facts = [
    files === 0 ? messages.nothingYet : arrived,
    ...(lastFileAt ? [messages.lastFile(formatRelative(lastFileAt))] : []),
    ...(hasPassword ? [messages.hasPassword] : []),
    ...(expiresAt ? [messages.expiresAt(formatRelative(expiresAt))] : []),
  ]
  return (
    <span className="meta subtle num grow" title={expiresAt ? formatFullDate(expiresAt) : undefined}>
      {(state === 'PAUSED' || state === 'FULL') && (
        <>
          <Badge tone="warning" dot>
            {state === 'PAUSED' ? messages.paused : messages.full}
          </Badge>{' '}
        </>
      )}
      {facts.join(' · ')}
    </span>
  )
}

/** Changes the settings of an existing link. */
function ChangeLink({ link, onClose }: { link: UploadLinkList_link$data; onClose: () => void }) {
  const environment = useRelayEnvironment()
  const known = {
    ...link,
    maxBytes: link.maxBytes as number | null,
    maxFileBytes: link.maxFileBytes as number | null,
  }
  const [form, setForm] = useState(() => formOf(known))
  const [isBusy, setBusy] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const errors = formErrors(form)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (Object.keys(errors).length > 0) return
    setBusy(true)
    try {
      await updateUploadLink(environment, { id: link.id, ...changesOf(known, form) })
      toast.success(messages.changed)
      onClose()
    } catch (error) {
      toast.error(messages.changeFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <form className="mt-4" noValidate onSubmit={submit}>
      <LinkFields
        form={form}
        errors={errors}
        hasPassword={link.hasPassword}
        first={first}
        onChange={(change) => setForm((now) => ({ ...now, ...change }))}
      />
      <div className="hstack mt-4 justify-end">
        <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
        <Button type="submit" variant="primary" busy={isBusy}>
          {messages.save}
        </Button>
      </div>
    </form>
  )
}

/** Asks for confirmation inline: a link that has ended never works again. */
function EndLink({ id, onClose }: { id: string; onClose: () => void }) {
  const environment = useRelayEnvironment()
  const [isBusy, setBusy] = useState(false)
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  const end = async () => {
    setBusy(true)
    try {
      await revokeUploadLink(environment, id)
      toast.success(messages.ended)
    } catch (error) {
      toast.error(messages.endFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <div className={styles.facts} role="alert">
      <span className="meta grow">{messages.endQuestion}</span>
      <Button ref={keep} size="sm" onClick={onClose}>
        {messages.keep}
      </Button>
      <Button size="sm" variant="dangerSolid" busy={isBusy} onClick={() => void end()}>
        {messages.end}
      </Button>
    </div>
  )
}
