import { messages } from '../../lib/messages.ts'

const words = messages.register

export type RegisterValues = { fullName: string; email: string; password: string; confirm: string; terms: boolean }
export type RegisterField = keyof RegisterValues
export type RegisterErrors = Partial<Record<RegisterField, string>>

/** In the order in which they stand on the screen. */
export const FIELDS: readonly RegisterField[] = ['fullName', 'email', 'password', 'confirm', 'terms']

/** What is missing or wrong, in words; empty when the form can be sent. The server checks the rest. */
export function checkRegistration({ fullName, email, password, confirm, terms }: RegisterValues): RegisterErrors {
  const errors: RegisterErrors = {}
  if (!fullName.trim()) errors.fullName = words.nameRequired
  if (!email.trim()) errors.email = words.emailRequired
  else if (!/^\S+@\S+$/.test(email.trim())) errors.email = words.emailInvalid
  if (!password) errors.password = words.passwordRequired
  if (!confirm) errors.confirm = words.confirmRequired
  else if (confirm !== password) errors.confirm = words.mismatch
  if (!terms) errors.terms = words.termsRequired
  return errors
}
