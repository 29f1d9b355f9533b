import type { z } from 'zod'
import type { Exchange } from '../core/service.ts'
import { ARGS, problemWith } from './args.ts'
import { badInput } from './errors.ts'
import type { User } from './model.ts'
import type { AccessToken, State } from './state.ts'

/** A call by a user, about to be carried out. */
export type Call = {
  readonly state: State
  readonly exchange: Exchange
  readonly operation: string
  readonly user: User
  readonly token: AccessToken
}

export type Style = 'rpc' | 'upload' | 'download'

/** One function of the service, by the name it has in its addresses: 'files/upload'. */
export type Route = {
  readonly style: Style
  /** Null when any token will do. */
  readonly scope: string | null
  /** The value is the answer; undefined when the answer has been sent. */
  run(call: Call): Promise<unknown>
}

export function route<Schema extends z.ZodType>(
  style: Style,
  scope: string | null,
  schema: Schema,
  run: (call: Call, args: z.output<Schema>) => unknown,
): Route {
  return {
    style,
    scope,
    run: async (call) => run(call, await readArgs(call.exchange, call.operation, style, schema)),
  }
}

const BODY_TYPES = ['application/json', 'application/json; charset=utf-8', 'text/plain; charset=dropbox-cors-hack']
const DATA_TYPES = ['application/octet-stream', 'text/plain; charset=dropbox-cors-hack']

/** The argument from the body, or from the header when the body is data. */
export async function readArgs<Schema extends z.ZodType>(
  exchange: Exchange,
  operation: string,
  style: Style,
  schema: Schema,
): Promise<z.output<Schema>> {
  const where = style === 'rpc' ? 'request body' : 'HTTP header "Dropbox-API-Arg"'
  const text = style === 'rpc' ? await bodyText(exchange, operation) : headerText(exchange, operation)
  if (style === 'upload') checkType(exchange, operation, DATA_TYPES)
  const value = (schema as z.ZodType) === ARGS.nothing && text === '' ? null : parse(text, operation, where)
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw badInput(operation, `${where}: ${problemWith(parsed.error)}`)
}

async function bodyText(exchange: Exchange, operation: string): Promise<string> {
  const text = (await exchange.readBody()).toString('utf8')
  if (text !== '' || exchange.request.headers['content-type']) checkType(exchange, operation, BODY_TYPES)
  return text
}

/** JSON in a header has all but ASCII escaped: the service does not guess at an encoding. */
function headerText({ request, url }: Exchange, operation: string): string {
  const header = request.headers['dropbox-api-arg']
  const text = typeof header === 'string' ? header : url.searchParams.get('arg')
  if (text === null) throw badInput(operation, 'Must provide HTTP header "Dropbox-API-Arg" or URL parameter "arg".')
  if (typeof header === 'string' && /[^\x20-\x7e]/.test(header))
    throw badInput(operation, 'HTTP header "Dropbox-API-Arg": could not decode input as JSON: not ASCII')
  return text
}

function checkType({ request }: Exchange, operation: string, allowed: readonly string[]): void {
  const type = (request.headers['content-type'] ?? '').toLowerCase()
  if (allowed.includes(type)) return
  const expected = allowed.map((each) => `"${each}"`).join(', ')
  throw badInput(operation, `Bad HTTP "Content-Type" header: "${type}".  Expecting one of ${expected}.`)
}

function parse(text: string, operation: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badInput(operation, `${where}: could not decode input as JSON`)
  }
}
