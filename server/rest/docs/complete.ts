import type { Provider } from '../../domain/accounts/contract.ts'
import { SCOPES } from '../../domain/viewer.ts'
import type { JsonSchema, OpenApi, Operation, Parameter } from './document.ts'
import { FIELD_DOCS, ID_EXAMPLES } from './fieldDocs.ts'

const TAGS: Readonly<Record<string, string>> = {
  administration: 'For administrators: registration and invitations.',
  changes: 'Changes since a position.',
  auth: 'Registration, sign-in, sign-out and passwords.',
  me: 'The signed-in user.',
  sessions: 'Signed-in browsers.',
  accounts: 'Connected cloud storage accounts.',
  'telegram-accounts': 'Telegram accounts.',
  quotas: 'Quotas of accounts.',
  'group-clouds': 'Accounts combined into one drive.',
  files: 'Files and folders.',
  shares: 'Public links, for their owner.',
  'public-shares': 'Public links, for visitors.',
  tags: 'Tags of your own for files and folders.',
  'upload-links': 'Links through which visitors send files into a folder.',
  protection: 'Copies of what is in accounts, kept in group clouds, and earlier versions of it.',
  jobs: 'Copying and moving between accounts and group clouds, in the background.',
  duplicates: 'Files with the same content in accounts and group clouds.',
  transfers: 'Transfers of copies to accounts.',
  versions: 'Earlier versions of files, and how long they are kept.',
  keys: 'API keys for programs.',
  uploads: 'Resumable uploads (tus 1.0).',
  activity: 'Activity on your data.',
}

const MISSING_ID = '0192f0c1d2e37a4b8c5d6e7f80910213'

/** Adds what generators and linters expect beyond what routes declare: a description and an example for everything. */
export function complete(document: OpenApi, providers: readonly Provider[]): void {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const used = [...new Set(operations.flatMap(({ tags = [] }) => tags))]
  const ofProviders = providers.map(({ restPath, name }) => [
    restPath,
    `${name} accounts, in the format of the first clients.`,
  ])
  const texts: Readonly<Record<string, string>> = { ...TAGS, ...Object.fromEntries(ofProviders) }
  document.tags = used.map((name) => ({ name, description: texts[name] ?? '' }))
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    allowNewFields(schema)
    describeFields(schema, name)
  }
  for (const operation of operations) completeOperation(operation)
}

function completeOperation(operation: Operation): void {
  operation.description = [operation.description ?? `${operation.summary}.`, audienceOf(operation)].join(' ').trim()
  for (const parameter of operation.parameters ?? []) describeParameter(parameter)
  for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
    if (schema) describeFields(schema, '')
  }
  for (const { content = {} } of Object.values(operation.responses)) {
    for (const { schema } of Object.values(content)) {
      if (!schema) continue
      allowNewFields(schema)
      describeFields(schema, '')
    }
  }
}

/** Who may call. OpenAPI has no scopes for bearer tokens, so it is a sentence, plus an extension field for programs. */
function audienceOf({ security = [], 'x-required-scope': scope }: Operation): string {
  if (security.length === 0) return 'Open to everyone.'
  return scope && (SCOPES as readonly string[]).includes(scope)
    ? `API keys need the scope \`${scope}\`.`
    : 'For sessions only, not for API keys.'
}

function describeParameter(parameter: Parameter): void {
  const docs = FIELD_DOCS[`parameter ${parameter.name}`] ?? FIELD_DOCS[parameter.name]
  const description = parameter.description ?? parameter.schema.description ?? docs?.text
  if (description) parameter.description = description
  parameter.example ??= exampleFor(parameter.name, parameter.schema, '')
}

/** Adds descriptions and examples to all fields below a schema; existing descriptions are kept. */
function describeFields(schema: JsonSchema, component: string): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const docs = FIELD_DOCS[`${component}.${name}`] ?? FIELD_DOCS[name]
    // Next to a $ref, the description explains the field.
    if (docs) field.description ??= docs.text
    const example = exampleFor(name, field, component)
    if (example !== undefined) field.examples ??= [example]
    describeFields(field, component)
  }
  for (const part of partsOf(schema)) describeFields(part, component)
}

/** Newer versions may add fields, which clients must not reject. */
function allowNewFields(schema: JsonSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties
  for (const part of [...Object.values(schema.properties ?? {}), ...partsOf(schema)]) allowNewFields(part)
}

function partsOf({ items, anyOf = [], oneOf = [] }: JsonSchema): JsonSchema[] {
  return [...(items ? [items] : []), ...anyOf, ...oneOf]
}

/** Undefined for objects, whose fields have their own examples. */
function exampleFor(name: string, schema: JsonSchema, component: string): unknown {
  if (schema.$ref || schema.properties) return undefined
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const types = [schema.type ?? 'string'].flat()
  if (types.includes('object')) return {}
  const docs = FIELD_DOCS[`${component}.${name}`] ?? FIELD_DOCS[`parameter ${name}`] ?? FIELD_DOCS[name]
  if (!types.includes('array') && docs?.example !== undefined) return docs.example
  const [alternative] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null')
  if (alternative) return exampleFor(name, alternative, component)
  const type = types.find((each) => each !== 'null')
  if (type === 'array') {
    const item = schema.items && exampleFor(name, schema.items, component)
    return item === undefined ? undefined : [item]
  }
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 0, Math.min(1, schema.maximum ?? 1))
  return textFor(name, schema, component)
}

function textFor(name: string, { format }: JsonSchema, component: string): string {
  if (format === 'date-time') return '2026-01-31T12:00:00.000Z'
  if (format === 'date') return '2026-01-31'
  if (format === 'email') return 'ada@example.org'
  if (format === 'uri') return 'https://files.example.org/'
  if (name === 'id' || /Ids?$/.test(name)) {
    return `${ID_EXAMPLES[name === 'id' ? component : name] ?? 'file'}_${MISSING_ID}`
  }
  return 'text'
}
