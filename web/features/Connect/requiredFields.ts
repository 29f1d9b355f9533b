import type { SignInForm_provider$data } from '../../__generated__/SignInForm_provider.graphql.ts'
import type { FieldValues } from './connectByForm.ts'
import { messages } from './messages.ts'

export type Field = SignInForm_provider$data['fields'][number]

/** What a form contains: the entered values, and the names of the secrets that the server has and uses where none are entered. */
export type Entered = { readonly values: FieldValues; readonly kept: ReadonlySet<string> }

/** The names of the secrets of an account that are used again. As soon as one is entered, the server uses none of the others. */
export function keptSecrets(fields: readonly Field[], values: FieldValues): ReadonlySet<string> {
  const secrets = fields.filter(({ secret, stored }) => secret && stored).map(({ name }) => name)
  return new Set(secrets.some((name) => values[name]) ? [] : secrets)
}

/** Whether it is needed with these values, entered now or kept. */
export function isNeeded({ required, requiredWhen }: Field, values: FieldValues): boolean {
  if (required) return true
  return requiredWhen?.conditions.every((one) => one.values.includes(values[one.field] ?? '')) ?? false
}

/** Whether it must be filled in. Of secrets that are kept, only the server knows which it has: it checks what depends on them. */
export function isRequired(field: Field, { values, kept }: Entered): boolean {
  const isKnown = field.requiredWhen?.conditions.every((one) => !kept.has(one.field)) ?? true
  return !kept.has(field.name) && isKnown && isNeeded(field, values)
}

/** The required fields that are empty, in order; the server checks all others. */
export function missingIn(fields: readonly Field[], entered: Entered): Field[] {
  return fields.filter((field) => !entered.values[field.name] && isRequired(field, entered))
}

/** The errors of fields that are empty, by path. */
export function missingErrors(missing: readonly Field[]): Record<string, string> {
  return Object.fromEntries(missing.map((field) => [pathOf(field.name), messageOf(field)]))
}

const messageOf = ({ label, required, requiredWhen }: Field): string =>
  required || !requiredWhen ? messages.required(label) : requiredWhen.message

/** The fields whose errors an edit of `name` removes, by path: this one, and those that are therefore not required any more. */
export function correctedBy(name: string, fields: readonly Field[], after: Entered): string[] {
  const dependent = fields.filter(({ requiredWhen }) => requiredWhen?.conditions.some(({ field }) => field === name))
  return [name, ...dependent.filter((field) => !isRequired(field, after)).map((field) => field.name)].map(pathOf)
}

/** As in errors of the server. */
export const pathOf = (name: string): string => `fields.${name}`
