import { partName } from './book.ts'

// Of a chapter, only what is known to be harmless is copied: elements and attributes that are not named here are left out.

const SHOWN = new Set(
  `a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt em figcaption figure
  footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li mark ol p pre q rp rt ruby s samp section small span strike strong sub sup table tbody
  td tfoot th thead tr tt u ul var wbr`.split(/\s+/),
)
/** Left out with all that is in them; of other elements, the content is kept. */
const DROPPED = new Set(
  'annotation annotation-xml applet audio base button canvas embed frame frameset head iframe input link map meta noscript object param script select style template textarea title video'.split(
    ' ',
  ),
)
const NUMBER = /^\d{1,3}$/
/** Attributes by their elements; `*`: of all. Values that do not match are left out. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  '*': { dir: /^(?:ltr|rtl|auto)$/, lang: /^[\w-]{1,35}$/, title: /^.{1,300}$/s },
  img: { alt: /^.{0,2000}$/s },
  td: { colspan: NUMBER, rowspan: NUMBER },
  th: { colspan: NUMBER, rowspan: NUMBER, scope: /^(?:col|row)$/ },
  ol: { start: /^-?\d{1,6}$/, type: /^[1aAiI]$/ },
  li: { value: /^-?\d{1,6}$/ },
}
/** One below the title of the book. */
const HEADINGS: Readonly<Record<string, string>> = { h1: 'h2', h2: 'h3', h3: 'h4', h4: 'h5', h5: 'h6', h6: 'h6' }
const MOST_ELEMENTS = 100_000
const DEEPEST = 100
const LONGEST_TEXT = 300

/** Of a book; still without its source. */
export type BookImage = { readonly image: HTMLImageElement; readonly part: string }
/** Of the text; `svg`: a document. */
export type Drawing = { readonly image: HTMLImageElement; readonly svg: string }

export type CleanChapter = {
  readonly content: DocumentFragment
  readonly images: readonly BookImage[]
  readonly drawings: readonly Drawing[]
}

type Chapters = {
  /** Name of the part that the chapter is. */
  readonly name: string
  /** The id in the page of a place in the book; null: it is in none of its chapters. */
  readonly placeOf: (name: string, fragment: string) => string | null
}

type Work = Chapters & { readonly images: BookImage[]; readonly drawings: Drawing[]; elements: number }

/** @throws RangeError for a chapter with too many elements */
export function cleanChapter(chapter: Document, chapters: Chapters): CleanChapter {
  const content = document.createDocumentFragment()
  const work: Work = { ...chapters, images: [], drawings: [], elements: 0 }
  copyContent(chapter.querySelector('body') ?? chapter.documentElement, content, 0, work)
  return { content, images: work.images, drawings: work.drawings }
}

function copyContent(from: Element, to: Node, depth: number, work: Work): void {
  if (depth > DEEPEST) {
    to.appendChild(document.createTextNode(from.textContent))
    return
  }
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE || node.nodeType === Node.CDATA_SECTION_NODE) {
      to.appendChild(document.createTextNode(node.nodeValue ?? ''))
    } else if (node instanceof Element) copyElement(node, to, depth, work)
  }
}

function copyElement(from: Element, to: Node, depth: number, work: Work): void {
  work.elements += 1
  if (work.elements > MOST_ELEMENTS) throw new RangeError('The chapter has too many elements')
  const tag = from.localName.toLowerCase()
  if (DROPPED.has(tag)) return
  if (tag === 'svg') copyDrawing(from, to, work)
  else if (tag === 'img') copyImage(from, from.getAttribute('src'), to, work)
  else if (SHOWN.has(tag)) {
    const made = document.createElement(HEADINGS[tag] ?? tag)
    copyAttributes(from, made, work)
    if (tag === 'a') link(from, made, work)
    to.appendChild(made)
    copyContent(from, made, depth + 1, work)
  } else copyContent(from, to, depth + 1, work)
}

/** Links within the book work; of others, the address is a tooltip, because the frame can open nothing. */
function link(from: Element, made: HTMLElement, { name, placeOf }: Work): void {
  const href = from.getAttribute('href')
  if (href === null) return
  const inside = partName(name, href)
  const place = inside && placeOf(inside.name, inside.fragment)
  if (place) made.setAttribute('href', `#${place}`)
  else if (!inside) made.title = href.slice(0, LONGEST_TEXT)
}

function copyImage(from: Element, src: string | null, to: Node, work: Work): void {
  const inside = src === null ? null : partName(work.name, src)
  if (!inside) return
  const image = to.appendChild(document.createElement('img'))
  copyAttributes(from, image, work)
  // Decoration has an empty one; screen readers would read the address of a picture without any.
  image.alt ||= svgTitle(from)
  work.images.push({ image, part: inside.name })
}

const svgTitle = (from: Element): string =>
  from.getElementsByTagNameNS('*', 'title')[0]?.textContent.trim().slice(0, LONGEST_TEXT) ?? ''

const XLINK = 'http://www.w3.org/1999/xlink'

/** Around a picture, as many books have their cover; otherwise it becomes a picture, in which browsers run and load nothing. */
function copyDrawing(svg: Element, to: Node, work: Work): void {
  const inner = svg.getElementsByTagNameNS('*', 'image')[0]
  if (inner) {
    // In HTML, the prefix is part of the name.
    const href = inner.getAttribute('href') ?? inner.getAttributeNS(XLINK, 'href') ?? inner.getAttribute('xlink:href')
    copyImage(svg, href, to, work)
    return
  }
  const image = to.appendChild(document.createElement('img'))
  image.alt = svgTitle(svg)
  work.drawings.push({ image, svg: new XMLSerializer().serializeToString(svg) })
}

function copyAttributes(from: Element, to: HTMLElement, { name, placeOf }: Work): void {
  const tag = from.localName.toLowerCase()
  for (const [attribute, valid] of Object.entries({ ...ATTRIBUTES['*'], ...ATTRIBUTES[tag] })) {
    const value = from.getAttribute(attribute) ?? (attribute === 'lang' ? from.getAttribute('xml:lang') : null)
    if (value !== null && valid.test(value)) to.setAttribute(attribute, value)
  }
  const id = from.getAttribute('id') ?? (tag === 'a' ? from.getAttribute('name') : null)
  const place = id && placeOf(name, id)
  if (place) to.id = place
}
