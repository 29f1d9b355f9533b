/** An element: its local name, the text directly in it, and its elements. */
export type XmlElement = { readonly name: string; readonly text: string; readonly children: readonly XmlElement[] }

/** The text is not well-formed, or uses what responses of S3 never contain. */
class XmlError extends Error {
  override readonly name = 'XmlError'
}

const MAX_DEPTH = 16

type Open = { name: string; text: string; children: XmlElement[] }

/**
 * Reads a response of S3. Attributes and namespaces are ignored; document types are refused, so that no entity can be defined.
 * Takes time and memory proportional to the text. @throws XmlError
 */
export function parseXml(text: string): XmlElement {
  const top: Open = { name: '', text: '', children: [] }
  const open: Open[] = [top]
  let at = 0
  while (at < text.length) {
    const inside = open.at(-1) ?? top
    if (text[at] === '<') at = readMarkup(text, at, open)
    else {
      const end = indexOr(text, '<', at, text.length)
      inside.text += unescapeXml(text.slice(at, end))
      at = end
    }
  }
  const [root, second] = top.children
  if (open.length !== 1 || !root || second || top.text.trim() !== '') throw new XmlError('It is not one element.')
  return root
}

/** @returns the position after the tag, comment or section that begins at `at` */
function readMarkup(text: string, at: number, open: Open[]): number {
  const inside = open.at(-1) as Open
  if (text.startsWith('<?', at)) return after(text, '?>', at)
  if (text.startsWith('<!--', at)) return after(text, '-->', at)
  if (text.startsWith('<![CDATA[', at)) {
    const end = after(text, ']]>', at)
    inside.text += text.slice(at + 9, end - 3)
    return end
  }
  if (text.startsWith('<!', at)) throw new XmlError('Document types are refused.')
  const end = after(text, '>', at)
  const isClosing = text[at + 1] === '/'
  const isEmpty = text[end - 2] === '/'
  const name = localName(text.slice(at + (isClosing ? 2 : 1), end - (isEmpty ? 2 : 1)))
  if (isClosing) {
    if (open.length === 1 || inside.name !== name) throw new XmlError('An element is closed that is not open.')
    open.pop()
    return end
  }
  const element: Open = { name, text: '', children: [] }
  inside.children.push(element)
  if (!isEmpty) open.push(element)
  if (open.length > MAX_DEPTH) throw new XmlError('It is nested too deeply.')
  return end
}

function localName(tag: string): string {
  const name = /^[^\s/<>]+/.exec(tag)?.[0]
  if (name === undefined) throw new XmlError('An element has no name.')
  return name.slice(name.indexOf(':') + 1)
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  if (at === -1) throw new XmlError('It ends early.')
  return at + end.length
}

function indexOr(text: string, part: string, from: number, other: number): number {
  const at = text.indexOf(part, from)
  return at === -1 ? other : at
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replace(/&([^;&]{0,32});?/g, (reference, name: string) => {
    const known = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined
    if (known !== undefined && reference.endsWith(';')) return known
    const [, hex, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? []
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    if (!(code <= 0x10ffff) || !reference.endsWith(';')) throw new XmlError('It has an unknown entity.')
    return String.fromCodePoint(code)
  })
}

/** A text as the content of an element. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (char) => `&${char === '&' ? 'amp' : char === '<' ? 'lt' : 'gt'};`)
}

export function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name)
}

/** The text of the first element with the name; null when there is none. */
export function textOf(element: XmlElement, name: string): string | null {
  return element.children.find((child) => child.name === name)?.text ?? null
}
