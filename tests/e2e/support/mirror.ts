/**
 * Runs in a page that is written from right to left. What is not the mirror image of the same page from left to right (the `dir` of the
 * page is changed for a moment): boxes, and texts in them that fit. What keeps its own direction is left out, and so is what is placed by
 * a script.
 */
export function mirrorFinds(): string[] {
  const KEPT = 'bdi, code, pre, .mono, video, audio, iframe, canvas, svg *, .cm-editor, body [dir]'
  const isRightToLeft = (element: Element | null) => element !== null && getComputedStyle(element).direction === 'rtl'
  const NEAR = 2
  const root = document.documentElement
  type Box = { readonly left: number; readonly right: number }
  const placed = (element: Element) => element instanceof HTMLElement && element.style.left !== ''
  const elements = [...document.body.querySelectorAll('*')].filter(
    (element) =>
      element.closest(KEPT) === null &&
      isRightToLeft(element.parentElement) &&
      !/^(?:inline|contents|none)$/.test(getComputedStyle(element).display) &&
      element.checkVisibility({ visibilityProperty: true }),
  )
  const byScript = new Set(elements.filter(placed))
  const isBelow = (element: Element): boolean => {
    for (let at: Element | null = element; at; at = at.parentElement) if (byScript.has(at)) return true
    return false
  }
  const shown = elements.filter((element) => !isBelow(element))
  // Of the pieces of a paragraph the order is that of its language: they are measured together.
  const isInline = (node: Node) => !(node instanceof Element) || /^inline/.test(getComputedStyle(node).display)
  const texts: { readonly parent: Element; readonly node: Node }[] = []
  for (const element of shown.filter(isRightToLeft)) {
    const nodes = [...element.childNodes]
    const hasText = (node: Node) => node instanceof Text && node.data.trim() !== ''
    if (!nodes.some(hasText)) continue
    if (/flex|grid/.test(getComputedStyle(element).display)) {
      for (const node of nodes.filter(hasText)) texts.push({ parent: element, node })
    } else if (nodes.every(isInline)) texts.push({ parent: element, node: element })
  }
  const boxOf = (element: Element): Box => element.getBoundingClientRect()
  const textBox = ({ node }: { node: Node }): Box => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect()
  }
  const measure = () => ({ boxes: shown.map(boxOf), lines: texts.map(textBox) })
  /** Styles are computed again: the browser keeps some that depend on the direction. */
  const turn = (direction: string) => {
    document.body.style.display = 'none'
    root.dir = direction
    document.body.getBoundingClientRect()
    document.body.style.display = ''
  }
  const mirrored = measure()
  turn('ltr')
  const plain = measure()
  turn('rtl')
  const width = root.clientWidth
  const isOff = (here: Box | undefined, there: Box | undefined) =>
    here !== undefined && there !== undefined && Math.abs(here.left - (width - there.right)) > NEAR
  const describe = (element: Element, here: Box | undefined, there: Box | undefined) => {
    const name = `${element.tagName.toLowerCase()}.${String(element.getAttribute('class')).replaceAll(' ', '.')}`
    const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)
    return `${name} “${text}” is at ${Math.round(here?.left ?? 0)} instead of ${Math.round(width - (there?.right ?? 0))}`
  }
  const off = new Set<Element>()
  const finds: string[] = []
  for (const [index, element] of shown.entries()) {
    const [here, there] = [mirrored.boxes[index], plain.boxes[index]]
    if (!isOff(here, there)) continue
    const isFirst = element.parentElement === null || !off.has(element.parentElement)
    off.add(element)
    if (isFirst) finds.push(describe(element, here, there))
  }
  for (const [index, { parent }] of texts.entries()) {
    const [here, there] = [mirrored.lines[index], plain.lines[index]]
    const isCut = parent.scrollWidth > parent.clientWidth + 1
    if (!isCut && !off.has(parent) && isOff(here, there)) finds.push(`text of ${describe(parent, here, there)}`)
  }
  return finds
}

/** Runs in such a page. Names, addresses, sizes and code, in Latin letters, of which the end stands before the beginning. */
export function orderFinds(): string[] {
  const finds = new Set<string>()
  const RUN = /[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?/g
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const place = (node: Text, at: number) => {
    const range = document.createRange()
    range.setStart(node, at)
    range.setEnd(node, at + 1)
    return range.getBoundingClientRect()
  }
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const parent = node.parentElement
    if (!parent?.checkVisibility({ visibilityProperty: true }) || parent.closest('script, style, .sr-only')) continue
    for (const match of node.data.matchAll(RUN)) {
      const isWhole = match[0] === node.data.replace(/[\s\u2066-\u2069]/g, ' ').trim()
      const trimmed = isWhole ? match[0] : match[0].replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
      if (!/[A-Za-z]/.test(trimmed) || trimmed.length < 2) continue
      const from = match.index + match[0].indexOf(trimmed)
      const first = place(node, from)
      const last = place(node, from + trimmed.length - 1)
      if (first.width > 0 && Math.abs(first.top - last.top) < 2 && first.left > last.left)
        finds.add(trimmed.slice(0, 60))
    }
  }
  return [...finds]
}
