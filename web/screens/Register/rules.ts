import { messages } from './messages.ts'

export type RegisterValues = { fullName: string; email: string; password: string; confirm: string; terms: boolean }
export type RegisterField = keyof RegisterValues
export type RegisterErrors = Partial<Record<RegisterField, string>>

/** In the order on the screen. */
export const FIELDS: readonly RegisterField[] = ['fullName', 'email', 'password', 'confirm', 'terms']

/** The error of each field; empty when the form can be sent. The server checks the rest. */
export function checkRegistration({ fullName, email, password, confirm, terms }: RegisterValues): RegisterErrors {
  const errors: RegisterErrors = {}
  if (!fullName.trim()) errors.fullName = messages.nameRequired
  if (!email.trim()) errors.email = messages.emailRequired
  else if (!/^\S+@\S+$/.test(email.trim())) errors.email = messages.emailInvalid
  if (!password) errors.password = messages.passwordRequired
  if (!confirm) errors.confirm = messages.confirmRequired
  else if (confirm !== password) errors.confirm = messages.mismatch
  if (!terms) errors.terms = messages.termsRequired
  return errors
}
