import { type FieldError, InvalidInputError } from '../errors.ts'

const LONGEST_NAME = 100
const LAST_HUE = 12

/** The name as it is stored. @throws InvalidInputError */
export function checkedName(name: string): string {
  const trimmed = name.trim().normalize('NFC')
  throwIf('name', nameProblem(trimmed))
  return trimmed
}

function nameProblem(name: string): string | null {
  if (name === '') return 'Please provide a name for this connection'
  if ([...name].length > LONGEST_NAME) return `A name can have at most ${LONGEST_NAME} characters.`
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'A name cannot contain control characters.' : null
}

/** @throws InvalidInputError */
export function checkHue(hue: number): void {
  const isHue = Number.isInteger(hue) && hue >= 1 && hue <= LAST_HUE
  throwIf('hue', isHue ? null : `Please choose a colour from 1 to ${LAST_HUE}.`)
}

/** @throws InvalidInputError */
export function checkCode(code: string): void {
  throwIf('code', code.trim() === '' ? 'The code of the authorization is missing.' : null)
}

/** The provider's own hue; when it is taken the lowest free one, and its own again when all are. */
export function hueFor(own: number, taken: ReadonlySet<number>): number {
  if (!taken.has(own)) return own
  const all = Array.from({ length: LAST_HUE }, (_, index) => index + 1)
  return all.find((hue) => !taken.has(hue)) ?? own
}

function throwIf(path: string, message: string | null): void {
  const errors: FieldError[] = message === null ? [] : [{ path, message }]
  if (errors.length > 0) throw new InvalidInputError(errors)
}
