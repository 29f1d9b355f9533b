/** The parts of an OpenAPI 3.1 document that ours uses. */
export type OpenApi = {
  info: { title: string; version: string; description?: string }
  tags?: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema> }
}

export type Operation = {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  /** Accepted ways to authenticate; empty: open to everyone. */
  security?: readonly Record<string, readonly string[]>[]
  /** The scope a key needs; absent when keys are refused or the operation is open. */
  'x-required-scope'?: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, Response>
}

export type Response = {
  description: string
  headers?: Record<string, { description?: string; schema: JsonSchema }>
  content?: Content
}

export type Content = Record<string, { schema?: JsonSchema }>

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  example?: unknown
  schema: JsonSchema
}

export type JsonSchema = {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: (string | number | boolean | null)[]
  const?: unknown
  default?: unknown
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  minimum?: number
  maximum?: number
  maxLength?: number
  examples?: unknown[]
  additionalProperties?: boolean | JsonSchema
}
