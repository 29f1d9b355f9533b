import { parse } from './zip.mjs'

// Reads what a book (EPUB) says of itself, in the process of worker.mjs: which of its parts are its cover and its chapters.

const MAX_ITEMS = 10_000
const MAX_AUTHORS = 5
const MAX_TEXT = 1_000

/** Whether a document of `zip.mjs` is a book. */
export const isBook = (document) => find(document, 'META-INF/container.xml') !== undefined

const find = ({ entries }, name) => entries.find((entry) => entry.name === name)

/**
 * `cover`: an entry, or undefined; it may be no picture. `chapters`: entries in the order of reading. References that lead out of the book, or
 * to nothing, are left out. @throws for broken content
 */
export async function readBook(document) {
  const path = await descriptionPath(document)
  const description = path && find(document, path)
  if (!description) throw new Error('The book has no description.')
  const { title, authors, items, order, coverId } = await readDescription(document, description)
  const entryOf = (item) => item && find(document, partName(path, item.href))
  const pictures = [...items.values()].filter(({ type }) => type.startsWith('image/'))
  const cover =
    pictures.find(({ properties }) => properties.split(/\s+/).includes('cover-image')) ??
    pictures.find(({ id }) => id === coverId) ??
    pictures.find(({ id }) => /cover/i.test(id))
  const chapters = order.flatMap((id) => (/html/.test(items.get(id)?.type ?? '') ? (entryOf(items.get(id)) ?? []) : []))
  return { title, authors, cover: entryOf(cover), chapters: [...new Set(chapters)] }
}

async function descriptionPath(document) {
  let path = null
  await parse(document, find(document, 'META-INF/container.xml'), {
    open(name, attributes) {
      if (name === 'rootfile') path ??= attributes['full-path'] ?? null
    },
    close: () => undefined,
    text: () => undefined,
    isFull: () => path !== null,
  })
  return path
}

async function readDescription(document, entry) {
  const found = { title: '', authors: [], items: new Map(), order: [], coverId: null }
  let text = null
  await parse(document, entry, {
    open(name, attributes) {
      if (name === 'title' || name === 'creator') text = ''
      const { id = '', href = '', 'media-type': type = '', properties = '', idref, content = null } = attributes
      if (name === 'item') found.items.set(id, { id, href, type, properties })
      if (name === 'itemref' && idref !== undefined) found.order.push(idref)
      if (name === 'meta' && attributes.name === 'cover') found.coverId = content
    },
    close(name) {
      const tidied = text?.replace(/\s+/g, ' ').trim()
      if (name === 'title') found.title ||= tidied ?? ''
      if (name === 'creator' && tidied && found.authors.length < MAX_AUTHORS) found.authors.push(tidied)
      if (name === 'title' || name === 'creator') text = null
    },
    text(value) {
      if (text !== null && text.length < MAX_TEXT) text += value.slice(0, MAX_TEXT)
    },
    isFull: () => found.items.size > MAX_ITEMS || found.order.length > MAX_ITEMS,
  })
  return found
}

const INSIDE = 'https://book.invalid/'

/** The name of the part that a reference within the part `from` means; null: it leads out of the book. */
function partName(from, href) {
  try {
    const url = new URL(href.trim(), INSIDE + from.split('/').map(encodeURIComponent).join('/'))
    return url.href.startsWith(INSIDE) ? decodeURIComponent(url.pathname.slice(1)) : null
  } catch {
    // No address, or no text after its percent signs.
    return null
  }
}
