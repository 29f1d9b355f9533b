import type { ByteReader } from '../byteReader.ts'
import { type Book, parseChapter, readBook } from './book.ts'
import { type BookImage, cleanChapter } from './cleanChapter.ts'
import { addStyle, FrameError, runFrame, tell } from './frame.ts'
import type { BookTask, ReadAnswer } from './protocol.ts'

const MOST_CHAPTER_BYTES = 8 * 1024 * 1024
const MOST_IMAGE_BYTES = 32 * 1024 * 1024
const SVG_TYPE = 'image/svg+xml'
/** By the endings of their names; the type that a book names is often wrong. */
const IMAGE_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: SVG_TYPE,
}

/** The style of the book is left out: this one fits every window, both themes, and what the reader has set. */
const CSS = `
  :root { color-scheme: light; --page: #fff; --text: #1b2326; --quiet: #55636a; --line: #d7dddf; --link: #0b6a75; }
  :root.dark { color-scheme: dark; --page: #12181b; --text: #dce3e5; --quiet: #9aa8ae; --line: #2c383c; --link: #6cc7d1; }
  html { background: var(--page); }
  body { margin: 0; color: var(--text); font: 1.0625rem/1.6 Georgia, "Noto Serif", "Times New Roman", serif; overflow-wrap: break-word; }
  main { box-sizing: border-box; max-width: 44rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; outline: none; }
  header { padding-bottom: 1.5rem; border-bottom: 1px solid var(--line); }
  header h1 { margin: 0; font-size: 1.75rem; }
  .authors, .failed { margin: 0.5rem 0 0; color: var(--quiet); font: 0.9375rem/1.5 system-ui, sans-serif; }
  h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.5em 0 0.5em; }
  main > section { min-height: 4rem; padding: 1rem 0; }
  main > section[aria-busy] { min-height: 60vh; }
  main > section + section { border-top: 1px solid var(--line); }
  a[href] { color: var(--link); }
  img { max-width: 100%; max-height: 90vh; height: auto; }
  figure { margin: 1.5rem 0; }
  pre { white-space: pre-wrap; }
  table { display: block; max-width: 100%; overflow-x: auto; border-collapse: collapse; }
  td, th { padding: 0.25rem 0.5rem; border: 1px solid var(--line); text-align: start; vertical-align: top; }
  hr { border: 0; border-top: 1px solid var(--line); }
  blockquote { margin-inline: 1.5rem; }
  center { text-align: center; }
  :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`

/** The first chapter is drawn at once, each other one when it comes near the window, or a link leads to it. */
runFrame<BookTask>(async ({ size, sectionFailed, untitled }) => {
  const book = await readBook(fileOfPage(size))
  addStyle(CSS)
  const main = drawHead(book, untitled)
  const sections = book.chapters.map((_, index) => main.appendChild(emptySection(index)))
  const draw = chapterDrawer(book, sections, sectionFailed)
  await draw(0)
  document.body.append(main)
  drawNear(sections, draw)
  followLinks(sections, draw)
})

/** The file, as the page reads it. */
function fileOfPage(size: number): ByteReader {
  const waiting = new Map<number, (bytes: ReadAnswer['bytes']) => void>()
  let questions = 0
  window.addEventListener('message', ({ source, data }: MessageEvent<ReadAnswer>) => {
    if (source !== window.parent) return
    waiting.get(data.id)?.(data.bytes)
    waiting.delete(data.id)
  })
  return {
    size,
    async read(start, end) {
      questions += 1
      const id = questions
      const answer = new Promise<ReadAnswer['bytes']>((resolve) => waiting.set(id, resolve))
      tell({ kind: 'read', id, start, end })
      const bytes = await answer
      if (!bytes) throw new FrameError('unread')
      return bytes
    },
  }
}

function drawHead({ title, authors, language }: Book, untitled: string): HTMLElement {
  if (language) document.documentElement.lang = language
  document.title = title ?? untitled
  const main = document.createElement('main')
  // What scrolls must be reachable by keyboard.
  main.tabIndex = 0
  const header = main.appendChild(document.createElement('header'))
  header.appendChild(document.createElement('h1')).textContent = title ?? untitled
  if (authors.length > 0) header.appendChild(paragraph('authors', authors.join(', ')))
  return main
}

function paragraph(className: string, text: string): HTMLElement {
  const made = document.createElement('p')
  made.className = className
  made.textContent = text
  return made
}

const sectionId = (index: number) => `chapter-${index}`

function emptySection(index: number): HTMLElement {
  const section = document.createElement('section')
  section.id = sectionId(index)
  section.ariaBusy = 'true'
  return section
}

/** Draws a chapter the first time it is called for it; one after the other, so that only one is unpacked at a time. */
function chapterDrawer(book: Book, sections: readonly HTMLElement[], failed: string) {
  const drawn = new Map<number, Promise<void>>()
  let queue = Promise.resolve()
  const placeOf = (name: string, fragment: string) => {
    const index = book.chapters.indexOf(name)
    if (index < 0) return null
    return fragment === '' ? sectionId(index) : `${sectionId(index)}-${fragment}`
  }

  async function drawOne(index: number): Promise<void> {
    const [name, section] = [book.chapters[index], sections[index]]
    if (name === undefined || !section) return
    try {
      const bytes = await book.part(name, MOST_CHAPTER_BYTES)
      if (!bytes) throw new FrameError('failed')
      const { content, images, drawings } = cleanChapter(parseChapter(bytes), { name, placeOf })
      section.replaceChildren(content)
      for (const { image, svg } of drawings) image.src = URL.createObjectURL(new Blob([svg], { type: SVG_TYPE }))
      void drawImages(book, images)
    } catch {
      section.replaceChildren(paragraph('failed', failed))
    }
    section.ariaBusy = null
  }

  return (index: number): Promise<void> => {
    const before = drawn.get(index)
    if (before) return before
    queue = queue.then(() => drawOne(index))
    drawn.set(index, queue)
    return queue
  }
}

async function drawImages(book: Book, images: readonly BookImage[]): Promise<void> {
  for (const { image, part } of images) {
    const type = IMAGE_TYPES[/\.(\w+)$/.exec(part)?.[1]?.toLowerCase() ?? '']
    const bytes = type ? await book.part(part, MOST_IMAGE_BYTES).catch(() => null) : null
    if (bytes) image.src = URL.createObjectURL(new Blob([bytes], { type: type ?? '' }))
    // Its description stays, where it has one.
    else if (image.alt === '') image.remove()
  }
}

function drawNear(sections: readonly HTMLElement[], draw: (index: number) => Promise<void>): void {
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue
        watch.unobserve(target)
        void draw(sections.indexOf(target as HTMLElement))
      }
    },
    // Without a root, the margin counts in frames of the same origin only.
    { root: document, rootMargin: '600px' },
  )
  for (const section of sections) watch.observe(section)
}

/** To chapters that are not drawn yet, too. The focus moves there, so that keys continue from it. */
function followLinks(sections: readonly HTMLElement[], draw: (index: number) => Promise<void>): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null
    if (!link) return
    event.preventDefault()
    const place = link.getAttribute('href')?.slice(1) ?? ''
    const index = Number(/^chapter-(\d+)/.exec(place)?.[1] ?? -1)
    void draw(index).then(() => {
      const target = document.getElementById(place) ?? sections[index]
      if (!target) return
      if (!target.hasAttribute('tabindex')) target.tabIndex = -1
      target.focus()
      target.scrollIntoView()
    })
  })
}
