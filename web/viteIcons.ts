import type { Plugin } from 'vite'

/**
 * What lucide-react draws for our `Icon`, which gives a class and nothing else: all of it but the class is known when the code is loaded.
 * Size and stroke are those of the class. Parts without a separate colour are one path, because each element and each attribute
 * takes its time in a grid of hundreds.
 */
const DRAWING = `
import { createElement } from 'react'
const round = (rx, ry, x, y) => 'a' + [rx, ry, 0, 0, 1, x, y].join(' ')
const PATHS = {
  // What follows another part would begin relative to its end.
  path: ({ d }) => d.replace(/^m/, 'M0 0m'),
  line: ({ x1, y1, x2, y2 }) => 'M' + [x1, y1, x2, y2].join(' '),
  polyline: ({ points }) => 'M' + points,
  circle: ({ cx, cy, r }) => 'M' + (cx - r) + ' ' + cy + round(r, r, 2 * r, 0) + round(r, r, -2 * r, 0) + 'z',
  rect({ x = 0, y = 0, width, height, rx = 0, ry = rx }) {
    const [h, v] = [width - 2 * rx, height - 2 * ry]
    const corner = (right, down) => round(rx, ry, right * rx, down * ry)
    return 'M' + (+x + +rx) + ' ' + y + 'h' + h + corner(1, 1) + 'v' + v + corner(-1, 1) + 'h' + -h + corner(-1, -1) + 'v' + -v + corner(1, -1) + 'z'
  },
}
export default function createLucideIcon({ name, aliases = [], size = 24, node }) {
  const own = ['lucide', ...[name, ...aliases].map((each) => 'lucide-' + each)].join(' ')
  const viewBox = '0 0 ' + size + ' ' + size
  const isPlain = ([tag, { fill }]) => tag in PATHS && !fill
  const d = node.filter(isPlain).map(([tag, attributes]) => PATHS[tag](attributes)).join('')
  const others = node.filter((each) => !isPlain(each)).map(([tag, attributes]) => createElement(tag, attributes))
  const path = createElement('path', { d })
  return ({ className, ...rest }) =>
    createElement('svg', { viewBox, className: className ? own + ' ' + className : own, ...rest }, path, others)
}
`

/**
 * lucide-react puts the attributes and classes of an icon together each time it is drawn, in two more components: a quarter of what a grid
 * allocates while it is scrolled. Here that is done once. @throws Error when lucide-react is built otherwise than we know
 */
export function iconsDrawnOnce(): Plugin {
  let isFound = false
  return {
    name: 'icons-drawn-once',
    enforce: 'pre',
    apply: 'build',
    load: {
      filter: { id: /\/lucide-react\/dist\/esm\/createLucideIcon\.mjs$/ },
      handler() {
        isFound = true
        return DRAWING
      },
    },
    buildEnd(error) {
      if (!error && !isFound) throw new Error('lucide-react no longer makes its icons in createLucideIcon.mjs')
    },
  }
}
