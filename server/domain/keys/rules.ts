import { type FieldError, InvalidInputError } from '../errors.ts'
import type { ApiKeyInput } from '../services/keys.ts'
import { SCOPES, type Scope } from '../viewer.ts'

const LONGEST_NAME = 100

export type CheckedInput = { readonly name: string; readonly scopes: readonly Scope[]; readonly expiresAt: Date | null }

/** A key's input as it is stored; whether `expiresAt` lies ahead is for the database to say. @throws InvalidInputError */
export function checkedInput({ name, scopes = SCOPES, expiresAt = null }: ApiKeyInput): CheckedInput {
  const trimmed = name.trim().normalize('NFC')
  const errors = [
    ...fieldError('name', nameProblem(trimmed)),
    ...fieldError('scopes', scopes.length === 0 ? 'Please choose at least one permission.' : null),
    ...fieldError('expiresAt', expiresAt && Number.isNaN(expiresAt.getTime()) ? 'This is no date.' : null),
  ]
  if (errors.length > 0) throw new InvalidInputError(errors)
  // Who may change or share something may also look at it.
  return { name: trimmed, scopes: SCOPES.filter((scope) => scope === 'READ' || scopes.includes(scope)), expiresAt }
}

function fieldError(path: string, message: string | null): FieldError[] {
  return message === null ? [] : [{ path, message }]
}

function nameProblem(name: string): string | null {
  if (name === '') return 'Please give the key a name.'
  if ([...name].length > LONGEST_NAME) return `A name can have at most ${LONGEST_NAME} characters.`
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'A name cannot contain control characters.' : null
}
