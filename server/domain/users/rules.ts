import type { FieldError } from '../errors.ts'
import { COMMON_PASSWORDS, PRODUCT_WORDS } from './commonPasswords.ts'
import { emailKey, isEmail } from './emails.ts'

const LONGEST_NAME = 200
const SHORTEST_PASSWORD = 8
const LONGEST_PASSWORD = 1000

export type Registration = { readonly fullName: string; readonly email: string; readonly password: string }

/** What is wrong with a registration; empty when nothing is. Lengths count characters, not bytes. */
export function registrationErrors({ fullName, email, password }: Registration): FieldError[] {
  return [
    ...nameErrors('fullName', fullName),
    ...fieldError('email', isEmail(email.trim()) ? null : 'Please enter a valid email address.'),
    ...passwordErrors('password', password, email),
  ]
}

export function nameErrors(path: string, fullName: string): FieldError[] {
  return fieldError(path, nameProblem(fullName.trim()))
}

/** `email` of whose password it is to be. */
export function passwordErrors(path: string, password: string, email: string): FieldError[] {
  return fieldError(path, passwordProblem(password, email))
}

function fieldError(path: string, message: string | null): FieldError[] {
  return message === null ? [] : [{ path, message }]
}

function nameProblem(name: string): string | null {
  if (name === '') return 'Please enter your full name.'
  if ([...name].length > LONGEST_NAME) return `A name can have at most ${LONGEST_NAME} characters.`
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'A name cannot contain control characters.' : null
}

function passwordProblem(password: string, email: string): string | null {
  const length = [...password].length
  if (length < SHORTEST_PASSWORD) return `Password must be at least ${SHORTEST_PASSWORD} characters long`
  if (length > LONGEST_PASSWORD) return `A password can have at most ${LONGEST_PASSWORD} characters.`
  return isGuessable(password, email) ? 'This password is too easy to guess. Please choose another one.' : null
}

/** The commonest passwords, one or two characters repeated, the own address, and the product's name with some ornament. */
function isGuessable(password: string, email: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase()
  const address = emailKey(email)
  return (
    COMMON_PASSWORDS.has(plain) ||
    new Set(plain).size <= 2 ||
    plain === address ||
    plain === address.split('@', 1)[0] ||
    PRODUCT_WORDS.has(plain.replace(/[\d\p{P}\p{S}\s]/gu, ''))
  )
}
