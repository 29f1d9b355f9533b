import { useEffect, useRef, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { UploadLinkList_folder$key } from '../../__generated__/UploadLinkList_folder.graphql.ts'
import type {
  UploadLinkList_link$data,
  UploadLinkList_link$key,
} from '../../__generated__/UploadLinkList_link.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatFullDate, formatRelative } from '../../lib/formatDate.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { ChangeForm } from '../Share/ChangeLink.tsx'
import { EndLink } from '../Share/EndLink.tsx'
import { LinkLine, useLinkPart } from '../Share/ShareLink.tsx'
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
  const environment = useRelayEnvironment()
  const { open, setOpen, close, opener } = useLinkPart()
  return (
    <>
      <p className="ell mb-2 font-medium" title={link.title}>
        {link.title}
      </p>
      <LinkLine label={messages.linkLabel} copyLabel={messages.copy} url={link.url} />
      {open === null && (
        <div className={styles.facts}>
          <Facts link={link} />
          <Button ref={opener('change')} size="sm" variant="ghost" onClick={() => setOpen('change')}>
            {messages.change}
          </Button>
          <Button ref={opener('end')} size="sm" variant="danger" onClick={() => setOpen('end')}>
            {messages.end}
          </Button>
        </div>
      )}
      {open === 'change' && <ChangeUploadLink link={link} onClose={close} />}
      {open === 'end' && (
        <EndLink question={messages.endQuestion} end={() => revokeUploadLink(environment, link.id)} onClose={close} />
      )}
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
function ChangeUploadLink({ link, onClose }: { link: UploadLinkList_link$data; onClose: () => void }) {
  const environment = useRelayEnvironment()
  const known = {
    ...link,
    maxBytes: link.maxBytes as number | null,
    maxFileBytes: link.maxFileBytes as number | null,
  }
  const [form, setForm] = useState(() => formOf(known))
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const errors = formErrors(form)
  const save = () => updateUploadLink(environment, { id: link.id, ...changesOf(known, form) })
  return (
    <ChangeForm errors={errors} save={save} onClose={onClose}>
      <LinkFields
        form={form}
        errors={errors}
        hasPassword={link.hasPassword}
        first={first}
        onChange={(change) => setForm((now) => ({ ...now, ...change }))}
      />
    </ChangeForm>
  )
}
