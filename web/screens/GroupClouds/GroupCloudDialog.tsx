import { type FormEvent, useRef, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { GroupCloudDialog_viewer$key } from '../../__generated__/GroupCloudDialog_viewer.graphql.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { AccountChoice } from './AccountChoice.tsx'
import { createGroupCloud } from './createGroupCloud.ts'
import { emptyForm, type Form, type FormErrors, problemsOf } from './form.ts'
import { messages } from './messages.ts'
import { RuleChoice } from './RuleChoice.tsx'
import { useChange } from './useChange.ts'

type Props = {
  viewer: GroupCloudDialog_viewer$key /** Null creates a new one. */
  id: string | null
  onClose: () => void
}

/** The form of a group cloud. Import it lazily, like Dialog. */
export function GroupCloudDialog({ viewer, id, onClose }: Props) {
  const { groupClouds, ...rest } = useFragment(
    graphql`
      fragment GroupCloudDialog_viewer on User {
        id
        groupClouds {
          id
          name
          placement
          copies
          spanning
          defaultUploadGroup
          members {
            account {
              id
            }
          }
        }
        ...AccountChoice_viewer
      }
    `,
    viewer,
  )
  const edited = groupClouds.find((groupCloud) => groupCloud.id === id)
  const [form, setForm] = useState<Form>(() => formOf(edited))
  const [errors, setErrors] = useState<FormErrors>({})
  const field = useRef<HTMLInputElement>(null)
  const { save, busy } = useSave(id, form, edited?.name)
  const change = (part: Partial<Form>) => setForm((current) => ({ ...current, ...part }))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const problems = problemsOf(form)
    setErrors(problems)
    if (Object.keys(problems).length === 0 && (await save())) onClose()
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
      <Button variant="primary" type="submit" form="group-cloud" busy={busy}>
        {edited ? messages.form.save : messages.form.create}
      </Button>
    </>
  )
  const title = edited ? messages.form.editTitle(edited.name) : messages.form.createTitle
  return (
    <Dialog open onClose={onClose} title={title} initialFocus={field} footer={footer}>
      <form id="group-cloud" noValidate onSubmit={submit} className="grid gap-5">
        <TextField
          label={messages.form.name}
          ref={field}
          value={form.name}
          maxLength={100}
          error={errors.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <AccountChoice
          viewer={rest}
          chosen={form.accountIds}
          error={errors.accountIds}
          onChange={(accountIds) => change({ accountIds })}
        />
        <RuleChoice
          form={form}
          error={errors.copies}
          isDefault={edited?.defaultUploadGroup ?? false}
          onChange={change}
        />
      </form>
    </Dialog>
  )
}

type Edited = Omit<Form, 'accountIds'> & { readonly members: readonly { readonly account: { readonly id: string } }[] }

function formOf(edited: (Omit<Edited, 'placement'> & { placement: string }) | undefined): Form {
  if (!edited) return emptyForm
  const { name, placement, copies, spanning, defaultUploadGroup, members } = edited
  const accountIds = members.map(({ account }) => account.id)
  return { name, placement: placement as Form['placement'], copies, spanning, defaultUploadGroup, accountIds }
}

function useSave(id: string | null, form: Form, nameBefore: string | undefined) {
  const environment = useRelayEnvironment()
  const { change, busy: changing } = useChange(id ?? '')
  const [creating, setCreating] = useState(false)
  const create = async (): Promise<boolean> => {
    setCreating(true)
    try {
      await createGroupCloud(environment, form)
      toast.success(messages.form.created)
      return true
    } catch (error) {
      toast.error(messages.form.failed, { description: reasonOf(error) })
      return false
    } finally {
      setCreating(false)
    }
  }
  const { defaultUploadGroup, name, ...settings } = form
  // A name that the server gave is shown in the language of the page: saving something else does not make it the name.
  const update = () =>
    change(
      { ...settings, ...(name !== nameBefore && { name }), ...(defaultUploadGroup && { defaultUploadGroup }) },
      messages.form.saved,
    )
  return { save: id === null ? create : update, busy: changing || creating }
}
