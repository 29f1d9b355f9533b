import { NotFoundError } from '../domain/errors.ts'

/** A lookup's value. @throws NotFoundError when it is null: gone since the row that names it was read, or not the viewer's */
export function found<Value>(value: Value | null): Value {
  if (value === null) throw new NotFoundError()
  return value
}
