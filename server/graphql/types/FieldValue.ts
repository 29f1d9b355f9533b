import { builder } from '../builder.ts'

/** A contract of two mutations. */
export const FieldValue = builder.inputType('FieldValue', {
  description: 'What was typed into one field of a form.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'As `ProviderField.name`.' }),
    value: t.string({ required: true, description: 'Empty: as if it were left out.' }),
  }),
})

/** By the names of the fields; of two values for one field the last counts. */
export function valuesOf(fields: readonly (typeof FieldValue)['$inferInput'][]): Record<string, string> {
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]))
}
