import { InvalidInputError } from '../domain/errors.ts'

/** What has to be given, though the schema leaves it open while it has an older name beside it. @throws InvalidInputError */
export function required<Value>(path: string, value: Value | null | undefined): Value {
  if (value !== null && value !== undefined) return value
  throw new InvalidInputError([{ path, message: `Please give ${path}.` }])
}
