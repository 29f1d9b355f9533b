import { Folder } from 'lucide-react'
import { type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { UploadLinkDialogBodyQuery } from '../../__generated__/UploadLinkDialogBodyQuery.graphql.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { copyText } from '../../ui/copyText.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import inputStyles from '../../ui/Input.module.css'
import { toast } from '../../ui/toast.ts'
import type { LinkDialogBody } from '../Share/LinkDialog.tsx'
import { createUploadLink } from './createUploadLink.ts'
import { LinkFields } from './LinkFields.tsx'
import { formErrors, inputOf, type LinkForm, NEW_LINK } from './linkForm.ts'
import { messages } from './messages.ts'
import { UploadLinkList } from './UploadLinkList.tsx'
import styles from './UploadLinks.module.css'

type Props = LinkDialogBody & { readonly folderId: string; readonly name: string }

export function UploadLinkDialogBody({ folderId, name, formId, mode, onMode }: Props) {
  const { viewer } = useLazyLoadQuery<UploadLinkDialogBodyQuery>(
    graphql`
      query UploadLinkDialogBodyQuery($id: ID!) {
        viewer {
          file(id: $id) {
            id
            uploadLinks {
              id
            }
            ...UploadLinkList_folder
          }
        }
      }
    `,
    { id: folderId },
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  const folder = viewer?.file
  const count = folder?.uploadLinks.length ?? 0
  const make = useCreate(folderId, onMode)
  // The first link, and the end of the last one, change the buttons in the footer.
  const isThere = folder != null
  useLayoutEffect(() => {
    if (isThere) onMode(count > 0 ? 'links' : 'form')
  }, [isThere, count, onMode])
  if (!folder) return <EmptyState title={messages.gone} text={messages.goneText} />
  if (mode === 'links') return <UploadLinkList folder={folder} />
  return <NewLink id={formId} name={name} onSubmit={make} />
}

/** Creates the link and copies it to the clipboard. */
function useCreate(folderId: string, onMode: Props['onMode']) {
  const environment = useRelayEnvironment()
  return async (form: LinkForm) => {
    onMode('making')
    try {
      const url = await createUploadLink(environment, { folderId, ...inputOf(form) })
      onMode('links')
      await copyText(url)
    } catch (error) {
      toast.error(messages.createFailed, { description: reasonOf(error) })
      onMode('form')
    }
  }
}

type NewLinkProps = { readonly id: string; readonly name: string; readonly onSubmit: (form: LinkForm) => void }

/** The title is the folder's name, until it is changed: visitors see it. */
function NewLink({ id, name, onSubmit }: NewLinkProps) {
  const [form, setForm] = useState<LinkForm>({ ...NEW_LINK, title: name.slice(0, 120) })
  const [isTried, setTried] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => {
    first.current?.focus()
    first.current?.select()
  }, [])
  const errors = formErrors(form)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (Object.keys(errors).length === 0) onSubmit(form)
  }
  return (
    <form id={id} noValidate onSubmit={submit}>
      <LinkFields
        form={form}
        errors={isTried ? errors : {}}
        first={first}
        onChange={(change) => setForm((now) => ({ ...now, ...change }))}
      >
        <div className={styles.whole}>
          <span className={inputStyles.label}>{messages.arriveIn}</span>
          <span className={styles.folder}>
            <Icon icon={Folder} className="t-accent" />
            <FileName name={name} />
          </span>
        </div>
      </LinkFields>
    </form>
  )
}
