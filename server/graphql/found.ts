import { InvalidInputError, NotFoundError } from '../domain/errors.ts'

/** A lookup's value. @throws NotFoundError when it is null: gone since the row that names it was read, or not the viewer's */
export function found<Value>(value: Value | null): Value {
  if (value === null) throw new NotFoundError()
  return value
}

/** An argument that must be given, but is optional in the schema as long as its deprecated name is there too. @throws InvalidInputError */
export function required<Value>(path: string, value: Value | null | undefined): Value {
  if (value !== null && value !== undefined) return value
  throw new InvalidInputError([{ path, message: `Please give ${path}.` }])
}
