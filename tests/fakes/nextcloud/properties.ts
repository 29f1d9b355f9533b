import type { DavCall } from './dav.ts'
import type { Node } from './tree.ts'

/** The multi-status response about nodes, with the properties that the request names. */
export function multistatus(call: DavCall, nodes: readonly Node[], request: string): string {
  const responses = nodes.map((node) => responseOf(call, node, request)).join('')
  return `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns">${responses}</d:multistatus>`
}

function responseOf(call: DavCall, node: Node, request: string): string {
  const asked = namesIn(request)
  const values = propertiesOf(call, node)
  const has = (name: string): boolean => values[name] !== undefined
  const found = asked.filter(has).map((name) => `<${name}>${values[name]}</${name}>`)
  const missing = asked.filter((name) => !has(name)).map((name) => `<${name}/>`)
  const propstat = (inside: readonly string[], status: string): string =>
    inside.length === 0
      ? ''
      : `<d:propstat><d:prop>${inside.join('')}</d:prop><d:status>HTTP/1.1 ${status}</d:status></d:propstat>`
  const stats = propstat(found, '200 OK') + propstat(missing, '404 Not Found')
  return `<d:response><d:href>${escaped(hrefOf(call, node))}</d:href>${stats}</d:response>`
}

/** In the prefixes of the response. Clients choose their own for the two namespaces. */
function namesIn(request: string): string[] {
  const prefixes = new Map(
    [...request.matchAll(/xmlns:?(\w*)="([^"]+)"/g)].map(([, prefix = '', uri]) => [prefix, uri]),
  )
  const inside = /<(?:\w+:)?prop(?:\s[^>]*)?>(.*)<\/(?:\w+:)?prop>/s.exec(request)?.[1] ?? ''
  return [...inside.matchAll(/<(?:(\w+):)?([\w-]+)([^>]*)\/?>/g)].flatMap(([, prefix = '', name, rest = '']) => {
    const uri = /xmlns="([^"]+)"/.exec(rest)?.[1] ?? prefixes.get(prefix)
    if (uri === 'DAV:') return [`d:${name}`]
    return uri === 'http://owncloud.org/ns' ? [`oc:${name}`] : []
  })
}

function propertiesOf({ tree, user }: DavCall, node: Node): Record<string, string | undefined> {
  const { kind, id, etag, content, path, modifiedAt, createdAt } = node
  const isFile = kind === 'file'
  const used = tree.usage(path)
  const available =
    user.quotaBytes < 0 ? user.quotaBytes : Math.max(0, user.quotaBytes - tree.usage(`files/${user.id}`))
  return {
    'd:resourcetype': isFile ? '' : '<d:collection/>',
    'd:getcontentlength': isFile ? String(content?.size) : undefined,
    'd:getcontenttype': isFile ? 'text/plain' : undefined,
    'd:getlastmodified': new Date(modifiedAt).toUTCString(),
    'd:creationdate': new Date(createdAt).toISOString().replace(/\.\d+Z$/, '+00:00'),
    'd:getetag': `&quot;${etag}&quot;`,
    'd:quota-used-bytes': isFile ? undefined : String(used),
    'd:quota-available-bytes': isFile ? undefined : String(available),
    'oc:fileid': String(id),
    'oc:permissions': isFile ? 'RGDNVW' : 'RGDNVCK',
    'oc:size': String(used),
  }
}

function hrefOf({ exchange }: DavCall, { path, kind }: Node): string {
  const prefix = /^\/@[^/]+/.exec(exchange.request.url ?? '')?.[0] ?? ''
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  return `${prefix}/remote.php/dav/${encoded}${kind === 'folder' ? '/' : ''}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&apos;')
}
