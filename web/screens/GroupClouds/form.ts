import { messages } from './messages.ts'

/** What the form of a group cloud holds. */
export type Form = {
  readonly name: string
  /** In the order in which they are filled by IN_ORDER. */
  readonly accountIds: readonly string[]
  readonly placement: 'MOST_FREE' | 'IN_ORDER' | 'ROUND_ROBIN'
  readonly copies: number
  readonly spanning: boolean
  readonly defaultUploadGroup: boolean
}

export type FormErrors = { readonly [Field in 'name' | 'accountIds' | 'copies']?: string }

export const emptyForm: Form = {
  name: '',
  accountIds: [],
  placement: 'MOST_FREE',
  copies: 1,
  spanning: true,
  defaultUploadGroup: false,
}

/** What keeps the form from being sent, by field; the server checks the same again. */
export function problemsOf({ name, accountIds, copies }: Form): FormErrors {
  return {
    ...(name.trim() === '' && { name: messages.form.nameMissing }),
    ...(accountIds.length === 0 && { accountIds: messages.form.accountsMissing }),
    ...(accountIds.length > 0 && copies > accountIds.length && { copies: messages.form.copiesTooMany }),
  }
}
