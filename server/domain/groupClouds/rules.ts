import { type FieldError, InvalidInputError } from '../errors.ts'

const LONGEST_NAME = 100
const MOST_COPIES = 3

/** What two names of one user must differ in. */
export function groupCloudNameKey(name: string): string {
  return name.trim().normalize('NFKC').toLowerCase()
}

/** The name as it is stored. @throws InvalidInputError */
export function checkedName(name: string): string {
  const trimmed = name.trim().normalize('NFC')
  const message = nameProblem(trimmed)
  if (message) throw new InvalidInputError([{ path: 'name', message }])
  return trimmed
}

function nameProblem(name: string): string | null {
  if (name === '') return 'Please give the group cloud a name.'
  if ([...name].length > LONGEST_NAME) return `A name can have at most ${LONGEST_NAME} characters.`
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'A name cannot contain control characters.' : null
}

/** Members and copies must agree: two copies never share an account. @throws InvalidInputError */
export function checkMembers(accountIds: readonly string[], copies: number): void {
  const errors: FieldError[] = []
  if (accountIds.length === 0) errors.push({ path: 'accountIds', message: 'A group cloud needs at least one account.' })
  if (new Set(accountIds).size !== accountIds.length) {
    errors.push({ path: 'accountIds', message: 'Each account can be in a group cloud once.' })
  }
  if (!Number.isInteger(copies) || copies < 1 || copies > MOST_COPIES) {
    errors.push({ path: 'copies', message: `A file can have 1 to ${MOST_COPIES} copies.` })
  } else if (accountIds.length > 0 && copies > accountIds.length) {
    errors.push({
      path: 'copies',
      message: 'Each copy needs an account of its own: there are fewer accounts than copies.',
    })
  }
  if (errors.length > 0) throw new InvalidInputError(errors)
}
