import { messages } from './messages.ts'

export const PASSWORD_FIELDS = ['currentPassword', 'newPassword', 'confirm'] as const
export type PasswordField = (typeof PASSWORD_FIELDS)[number]
export type PasswordValues = Readonly<Record<PasswordField, string>>
export type PasswordErrors = Partial<Record<PasswordField, string | undefined>>

const LEAST = 8

/** The errors by field; empty when the form can be sent. */
export function checkPasswords({ currentPassword, newPassword, confirm }: PasswordValues): PasswordErrors {
  return {
    ...(currentPassword === '' && { currentPassword: messages.password.currentMissing }),
    ...(newPassword.length < LEAST && { newPassword: messages.password.tooShort }),
    ...(newPassword !== confirm && { confirm: messages.password.mismatch }),
  }
}
