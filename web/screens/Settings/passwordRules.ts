import { words } from './words.ts'

export const PASSWORD_FIELDS = ['currentPassword', 'newPassword', 'confirm'] as const
export type PasswordField = (typeof PASSWORD_FIELDS)[number]
export type PasswordValues = Readonly<Record<PasswordField, string>>
export type PasswordErrors = Partial<Record<PasswordField, string | undefined>>

const LEAST = 8

/** What is wrong with the form, by field; empty when it can be sent. */
export function checkPasswords({ currentPassword, newPassword, confirm }: PasswordValues): PasswordErrors {
  return {
    ...(currentPassword === '' && { currentPassword: words.password.currentMissing }),
    ...(newPassword.length < LEAST && { newPassword: words.password.tooShort }),
    ...(newPassword !== confirm && { confirm: words.password.mismatch }),
  }
}
