import type { JsonSchema } from './document.ts'

export type Components = Readonly<Record<string, JsonSchema>>
export type Field = {
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

const REFERENCE = '#/components/schemas/'

/** The schema itself, where it only points to a component. */
export function resolve(schema: JsonSchema, components: Components): JsonSchema {
  return schema.$ref ? (components[schema.$ref.slice(REFERENCE.length)] ?? {}) : schema
}

/** A type in few words: "string", "MOST_FREE | IN_ORDER", "File[]", "number or null". */
export function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return schema.$ref.slice(REFERENCE.length)
  if (schema.enum) return schema.enum.join(' | ')
  if (schema.const !== undefined) return String(schema.const)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return alternatives.map(typeOf).join(' or ')
  if (schema.type === 'array') return `${schema.items ? typeOf(schema.items) : 'any'}[]`
  const types = [schema.type ?? 'any'].flat().join(' or ')
  return schema.format ? `${types} (${schema.format})` : types
}

/** Every field of an object, those of objects inside it by dotted path. A component is named, not unfolded. */
export function fieldsOf(schema: JsonSchema, components: Components, prefix = ''): Field[] {
  const { properties = {}, required = [] } = resolve(schema, components)
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix + name
    const field = {
      path,
      type: typeOf(property),
      required: required.includes(name),
      description: property.description ?? '',
    }
    const inner = property.type === 'array' ? property.items : property
    const suffix = property.type === 'array' ? '[].' : '.'
    return [field, ...(inner?.properties ? fieldsOf(inner, components, path + suffix) : [])]
  })
}

/** A value that the schema takes, for people to start from. */
export function exampleOf(schema: JsonSchema, components: Components): unknown {
  const { properties, required, items, ...rest } = resolve(schema, components)
  if (rest.default !== undefined) return rest.default
  if (rest.const !== undefined) return rest.const
  if (rest.enum) return rest.enum[0]
  const [alternative] = rest.anyOf ?? rest.oneOf ?? []
  if (alternative) return exampleOf(alternative, components)
  if (properties) {
    const shown = Object.entries(properties).filter(([name]) => !required?.length || required.includes(name))
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, components)]))
  }
  const [type] = [rest.type ?? 'string'].flat()
  if (type === 'array') return items ? [exampleOf(items, components)] : []
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return rest.minimum ?? 0
  return rest.format === 'date-time' ? '2026-01-31T12:00:00.000Z' : 'string'
}
