import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'
import { ENUM_TEXTS, FIELD_TEXTS, MUTATION_TEXTS, TYPE_TEXTS } from './descriptionTexts.ts'

/** Parts of the schema without a description, as `Type`, `Type.field` or `Type.field(argument)`. */
export type Undescribed = readonly string[]

type Describable = { description?: string | null | undefined }

/**
 * Adds a description by name to everything that is not described in its own code: most names mean the same everywhere, and
 * `Type.field` lists the exceptions. Returns the same schema, changed.
 */
export function describeSchema(schema: GraphQLSchema): GraphQLSchema {
  eachPart(schema, (part, name, text) => {
    part.description ||= text(name)
  })
  return schema
}

/** For `npm run check`: must be empty. */
export function undescribed(schema: GraphQLSchema): Undescribed {
  const missing: string[] = []
  eachPart(schema, (part, name) => {
    if (!part.description) missing.push(name)
  })
  return missing
}

type Visit = (part: Describable, name: string, text: (name: string) => string | undefined) => void

function eachPart(schema: GraphQLSchema, visit: Visit): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue
    visit(type, type.name, textOfType)
    if (isEnumType(type)) for (const value of type.getValues()) visit(value, `${type.name}.${value.name}`, textOfValue)
    for (const [name, field] of Object.entries(fieldsOf(type))) {
      visit(field, `${type.name}.${name}`, textOfField)
      for (const argument of field.args ?? []) visit(argument, `${type.name}.${name}(${argument.name})`, textOfArgument)
    }
  }
}

type Field = Describable & { readonly args?: readonly (Describable & { readonly name: string })[] }

function fieldsOf(type: GraphQLNamedType): Readonly<Record<string, Field>> {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {}
}

function textOfType(name: string): string | undefined {
  if (TYPE_TEXTS[name]) return TYPE_TEXTS[name]
  const [, stem = '', ending] = /^(.+)(Input|Payload|Result|Connection|Edge)$/.exec(name) ?? []
  const mutation = `\`${stem.charAt(0).toLowerCase()}${stem.slice(1)}\``
  if (ending === 'Input') return `Input of ${mutation}.`
  if (ending === 'Payload') return `Result of a successful ${mutation}.`
  if (ending === 'Result') return `Result of ${mutation}: its payload, or one of its expected errors.`
  if (ending === 'Connection') return 'A page of a list.'
  return ending === 'Edge' ? 'An item of a page, with its cursor.' : undefined
}

function textOfValue(name: string): string | undefined {
  const [type, value = ''] = name.split('.')
  if (ENUM_TEXTS[name]) return ENUM_TEXTS[name]
  const words = value.toLowerCase().replaceAll('_', ' ')
  return type === 'Action' ? `${words.charAt(0).toUpperCase()}${words.slice(1)}.` : undefined
}

function textOfField(name: string): string | undefined {
  const [type, field = ''] = name.split('.')
  if (type === 'Mutation') return MUTATION_TEXTS[field]
  return FIELD_TEXTS[name] ?? FIELD_TEXTS[field]
}

function textOfArgument(name: string): string | undefined {
  const argument = /\((.+)\)$/.exec(name)?.[1] ?? ''
  return FIELD_TEXTS[name] ?? FIELD_TEXTS[`(${argument})`] ?? FIELD_TEXTS[argument]
}
