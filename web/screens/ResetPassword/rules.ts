import { messages } from './messages.ts'

const SHORTEST_PASSWORD = 8
const LONGEST_BROKEN_TOKEN = 10

export const FIELDS = ['password', 'confirm'] as const
type Field = (typeof FIELDS)[number]
export type ResetValues = Readonly<Record<Field, string>>
export type ResetErrors = Readonly<Partial<Record<Field, string | undefined>>>

/** Whether a token is worth being tried at all: a mail program may have cut the link. */
export function looksWhole(token: string): boolean {
  return token.length > LONGEST_BROKEN_TOKEN
}

/** What is wrong, by field. Lengths count characters, not bytes. */
export function checkReset({ password, confirm }: ResetValues): ResetErrors {
  return { ...problem('password', passwordProblem(password)), ...problem('confirm', confirmProblem(password, confirm)) }
}

function problem(field: Field, message: string | null): ResetErrors {
  return message === null ? {} : { [field]: message }
}

function passwordProblem(password: string): string | null {
  if (password === '') return messages.passwordRequired
  return [...password].length < SHORTEST_PASSWORD ? messages.tooShort : null
}

function confirmProblem(password: string, confirm: string): string | null {
  if (confirm === '') return messages.confirmRequired
  return password === confirm ? null : messages.mismatch
}
