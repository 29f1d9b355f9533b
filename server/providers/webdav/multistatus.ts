import { SaxesParser } from 'saxes'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'

/** One resource of a multi-status response (RFC 4918 13), with the properties that it has. */
export type DavResource = {
  readonly href: string
  /** Of the whole resource, where the response reports no properties; null where it does. */
  readonly status: number | null
  readonly isFolder: boolean
  /** Texts by local name, of DAV: and of ownCloud's namespace. */
  readonly properties: ReadonlyMap<string, string>
}

export type MultistatusLimits = {
  readonly bytes: number
  /** Characters of the names and properties of all resources: callers keep them, unlike the rest. */
  readonly text: number
  readonly resources: number
}
const MIB = 1024 * 1024
export const DEFAULT_MULTISTATUS_LIMITS: MultistatusLimits = { bytes: 256 * MIB, text: 64 * MIB, resources: 200_000 }

const DAV = 'DAV:'
/** Where ownCloud and Nextcloud define their properties. */
export const OC = 'http://owncloud.org/ns'
const MAX_DEPTH = 32
const MAX_TEXT = 16 * 1024
/** Of one tag, comment or similar: the parser collects it before it reports it. */
const MAX_TOKEN = MIB

/**
 * The resources of a multi-status response, parsed while it arrives. Memory is bounded whatever the server sends.
 * @throws ProviderError Transient when it ends early or is not XML, Permanent when it exceeds a limit or declares a document type
 */
export async function* readMultistatus(
  body: AsyncIterable<Buffer>,
  where: ProviderErrorWhere,
  limits: MultistatusLimits,
): AsyncGenerator<DavResource> {
  const reader = createReader(where)
  const decoder = new TextDecoder()
  let bytes = 0
  let text = 0
  let resources = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > limits.bytes) throw refused(where, 'The list is too long.')
    for (const resource of reader.write(decoder.decode(chunk, { stream: true }))) {
      resources += 1
      text += resource.href.length
      for (const value of resource.properties.values()) text += value.length
      if (text > limits.text) throw refused(where, 'The list is too long.')
      if (resources > limits.resources) throw refused(where, `The folder has more than ${limits.resources} entries.`)
      yield resource
    }
  }
  reader.end(decoder.decode())
}

/** What is known of the resource that is being read. */
type Draft = {
  href: string
  status: number | null
  isFolder: boolean
  properties: Map<string, string>
  /** Of the current propstat: they count once its status is known to be good. */
  found: Map<string, string>
  foundFolder: boolean
  foundStatus: number | null
}

const emptyDraft = (): Draft => ({
  href: '',
  status: null,
  isFolder: false,
  properties: new Map(),
  found: new Map(),
  foundFolder: false,
  foundStatus: null,
})

function createReader(where: ProviderErrorWhere): { write(text: string): DavResource[]; end(text: string): void } {
  const parser = new SaxesParser({ xmlns: true })
  const path: string[] = []
  let ready: DavResource[] = []
  let draft = emptyDraft()
  let text = ''
  let unreported = 0

  const seen = (): void => {
    unreported = 0
  }
  parser.on('error', (error) => {
    throw broken(where, error.message.slice(0, 200))
  })
  parser.on('doctype', () => {
    throw refused(where, 'The response declares a document type.')
  })
  const collect = (more: string): void => {
    seen()
    if (text.length + more.length > MAX_TEXT) throw refused(where, 'A property is too long.')
    text += more
  }
  parser.on('text', collect)
  parser.on('cdata', collect)
  for (const event of ['comment', 'processinginstruction'] as const) parser.on(event, seen)
  parser.on('opentag', ({ uri, local }) => {
    seen()
    if (path.length >= MAX_DEPTH) throw refused(where, 'The response is nested too deeply.')
    if (path.length === 0 && (uri !== DAV || local !== 'multistatus')) {
      throw broken(where, 'it is not a multi-status response')
    }
    path.push(uri === DAV || uri === OC ? local : '')
    const at = path.join('/')
    if (at === 'multistatus/response') draft = emptyDraft()
    if (at === 'multistatus/response/propstat')
      Object.assign(draft, { found: new Map(), foundFolder: false, foundStatus: null })
    if (at === 'multistatus/response/propstat/prop/resourcetype/collection') draft.foundFolder = true
    // The text of a property includes that of the elements in it, such as the address of a principal.
    if (path.length <= PROPERTY_DEPTH) text = ''
  })
  parser.on('closetag', () => {
    seen()
    const name = path.at(-1) ?? ''
    const at = path.join('/')
    path.pop()
    if (at === 'multistatus/response/href' && draft.href === '') draft.href = copied(text.trim())
    else if (at === 'multistatus/response/status') draft.status = statusOf(text)
    else if (at === 'multistatus/response/propstat/status') draft.foundStatus = statusOf(text)
    else if (at === 'multistatus/response/propstat') keepFound(draft)
    else if (at === 'multistatus/response') ready.push(resourceOf(draft))
    else if (path.length === PROPERTY_DEPTH - 1 && name !== '') draft.found.set(name, copied(text.trim()))
  })

  return {
    write(chunk) {
      unreported += chunk.length
      parser.write(chunk)
      if (unreported > MAX_TOKEN) throw refused(where, 'The response has a token that is too long.')
      const done = ready
      ready = []
      return done
    },
    end(chunk) {
      parser.write(chunk)
      parser.close()
      if (path.length > 0) throw broken(where, 'it ends early')
    },
  }
}

/** multistatus, response, propstat, prop, and the property itself. */
const PROPERTY_DEPTH = 5

/** Properties that a resource does not have are reported too, with 404. */
function keepFound(draft: Draft): void {
  if (draft.foundStatus !== null && (draft.foundStatus < 200 || draft.foundStatus > 299)) return
  for (const [name, value] of draft.found) draft.properties.set(name, value)
  draft.isFolder ||= draft.foundFolder
}

function resourceOf({ href, status, isFolder, properties }: Draft): DavResource {
  return { href, status, isFolder, properties }
}

/** A part of a string keeps the whole in memory, which is what was received with it. */
function copied(text: string): string {
  return Buffer.from(text).toString()
}

/** Of `HTTP/1.1 404 Not Found`. */
function statusOf(text: string): number | null {
  const status = /^\s*HTTP\/\S+\s+(\d{3})/.exec(text)?.[1]
  return status === undefined ? null : Number(status)
}

function broken(where: ProviderErrorWhere, reason: string): ProviderError {
  return new ProviderError('Transient', where, { message: `The response cannot be read: ${reason}.` })
}

function refused(where: ProviderErrorWhere, message: string): ProviderError {
  return new ProviderError('Permanent', where, { message })
}
