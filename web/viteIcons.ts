import type { Plugin } from 'vite'

/** What lucide-react draws for our `Icon`, which gives a class and nothing else: all of it but the class is known when the code is loaded. */
const DRAWING = `
import { createElement } from 'react'
const LOOK = {
  xmlns: 'http://www.w3.org/2000/svg', width: 24, height: 24, fill: 'none', stroke: 'currentColor',
  strokeWidth: 2, strokeLinecap: 'round', strokeLinejoin: 'round',
}
export default function createLucideIcon({ name, aliases = [], size = 24, node }) {
  const own = ['lucide', ...[name, ...aliases].map((each) => 'lucide-' + each)].join(' ')
  const viewBox = '0 0 ' + size + ' ' + size
  const lines = node.map(([tag, attributes]) => createElement(tag, attributes))
  return ({ className, ...rest }) =>
    createElement('svg', { ...LOOK, viewBox, className: className ? own + ' ' + className : own, ...rest }, lines)
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
