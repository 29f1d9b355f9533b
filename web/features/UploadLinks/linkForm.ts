import { formatBytes } from '../../lib/formatBytes.ts'
import type { SelectOption } from '../../ui/Select.tsx'
import { dayOf, expiryOf } from '../Share/terms.ts'
import { messages } from './messages.ts'

/** The settings of an upload link, as form values. */
export type LinkForm = {
  readonly title: string
  readonly message: string
  /** "never", a number of days from now, or "date". */
  readonly expiry: string
  /** YYYY-MM-DD, the last day in local time; counts when `expiry` is "date". */
  readonly date: string
  /** Bytes; empty: no limit. */
  readonly maxBytes: string
  readonly maxFileBytes: string
  /** Empty: no limit. */
  readonly maxFiles: string
  readonly password: string
  /** Removes the existing password. */
  readonly isPasswordRemoved: boolean
  readonly asksName: boolean
  readonly notifies: boolean
}

const GIGABYTE = 1024 ** 3

export const NEW_LINK: LinkForm = {
  title: '',
  message: '',
  expiry: '14',
  date: '',
  maxBytes: String(5 * GIGABYTE),
  maxFileBytes: '',
  maxFiles: '',
  password: '',
  isPasswordRemoved: false,
  asksName: true,
  notifies: true,
}

export type KnownLink = {
  readonly title: string
  readonly message: string
  readonly expiresAt?: string | null | undefined
  readonly maxFiles?: number | null | undefined
  readonly maxBytes?: number | string | null | undefined
  readonly maxFileBytes?: number | string | null | undefined
  readonly asksName: boolean
  readonly notifies: boolean
}

/** The form values of an existing link. */
export function formOf(link: KnownLink): LinkForm {
  const { title, message, expiresAt, maxFiles, maxBytes, maxFileBytes, asksName, notifies } = link
  return {
    ...NEW_LINK,
    title,
    message,
    expiry: expiresAt ? 'date' : 'never',
    date: expiresAt ? dayOf(new Date(expiresAt)) : '',
    maxFiles: maxFiles ? String(maxFiles) : '',
    maxBytes: maxBytes ? String(maxBytes) : '',
    maxFileBytes: maxFileBytes ? String(maxFileBytes) : '',
    asksName,
    notifies,
  }
}

export type LinkFormErrors = { readonly title?: string; readonly date?: string; readonly maxFiles?: string }

/** The errors by field; empty when there are none. */
export function formErrors({ title, expiry, date, maxFiles }: LinkForm, now = new Date()): LinkFormErrors {
  const isCount = maxFiles === '' || (/^[0-9]{1,7}$/.test(maxFiles) && Number(maxFiles) >= 1 && Number(maxFiles) <= 1e6)
  const isDate = expiry !== 'date' || (/^\d{4}-\d\d-\d\d$/.test(date) && date >= dayOf(now))
  return {
    ...(title.trim() === '' && { title: messages.titleMissing }),
    ...(!isDate && { date: messages.dateWrong }),
    ...(!isCount && { maxFiles: messages.filesWrong }),
  }
}

const limitOf = (text: string): number | null => (text === '' ? null : Number(text))

/** The input of the mutation for a new link. */
export function inputOf(form: LinkForm) {
  const { title, message, password, asksName, notifies } = form
  return {
    ...{ title, message, asksName, notifies },
    password: password || null,
    expiresAt: expiryOf(form),
    maxFiles: limitOf(form.maxFiles),
    maxBytes: limitOf(form.maxBytes),
    maxFileBytes: limitOf(form.maxFileBytes),
  }
}

/** Only the changed settings; omitted ones stay as they are. */
export function changesOf(link: KnownLink, form: LinkForm) {
  const before = formOf(link)
  const input = inputOf(form)
  const isExpiryNew = form.expiry !== before.expiry || form.date !== before.date
  return {
    ...(form.title !== before.title && { title: input.title }),
    ...(form.message !== before.message && { message: input.message }),
    ...(form.isPasswordRemoved ? { password: null } : form.password !== '' && { password: form.password }),
    ...(isExpiryNew && { expiresAt: input.expiresAt }),
    ...(form.maxFiles !== before.maxFiles && { maxFiles: input.maxFiles }),
    ...(form.maxBytes !== before.maxBytes && { maxBytes: input.maxBytes }),
    ...(form.maxFileBytes !== before.maxFileBytes && { maxFileBytes: input.maxFileBytes }),
    ...(form.asksName !== before.asksName && { asksName: input.asksName }),
    ...(form.notifies !== before.notifies && { notifies: input.notifies }),
  }
}

const SIZES = [100 * 1024 ** 2, GIGABYTE, 5 * GIGABYTE, 20 * GIGABYTE, 100 * GIGABYTE]

/** Limits to choose from, with the present one, which may have been set by a program. */
export function sizeOptions(present: string): readonly SelectOption[] {
  const sizes = [...new Set([...SIZES, ...(present === '' ? [] : [Number(present)])])].sort((a, b) => a - b)
  return [
    { value: '', label: messages.noLimit },
    ...sizes.map((size) => ({ value: String(size), label: formatBytes(size) })),
  ]
}
