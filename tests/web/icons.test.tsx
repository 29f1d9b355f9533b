import { icons } from 'lucide-react'
import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { iconsDrawnOnce } from '../../web/viteIcons.ts'

type Drawn = (props: { className: string }) => ReactElement

/** What a build has in place of lucide-react's own function. */
function drawing(): (icon: object) => Drawn {
  const { load } = iconsDrawnOnce() as unknown as { load: { handler: () => string } }
  const code = load
    .handler()
    .replace(/^import .*$/m, '')
    .replace('export default function', 'return function')
  return new Function('createElement', code)(createElement)
}

/** In the size and stroke that the class gives. */
async function pixels(svg: string): Promise<Buffer> {
  const look =
    'width="96" height="96" fill="none" stroke="#000" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"'
  const [, viewBox, inner] = /^<svg[^>]*viewBox="([^"]*)"[^>]*>(.*)<\/svg>$/s.exec(svg) ?? []
  const source = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}" ${look}>${inner}</svg>`
  return sharp(Buffer.from(source)).flatten({ background: '#fff' }).greyscale().raw().toBuffer()
}

const NAMES = [
  'Image',
  'Images',
  'Film',
  'FileText',
  'Table2',
  'Inbox',
  'Equal',
  'Copy',
  'KeyRound',
  'Link2',
  'Search',
  'Folder',
  'Users',
] as const

test.each(NAMES)('the icon %s looks as lucide-react draws it, with fewer elements', async (name) => {
  const { __iconData } = (await import(`../../node_modules/lucide-react/dist/esm/icons/${kebab(name)}.mjs`)) as {
    __iconData: { node: unknown[] }
  }
  const ours = renderToStaticMarkup(createElement(drawing()(__iconData), { className: 'i' }))
  const theirs = renderToStaticMarkup(createElement(icons[name]))
  const [one, other] = await Promise.all([pixels(ours), pixels(theirs)])
  const different = one.filter((value, at) => Math.abs(value - (other[at] ?? 0)) > 24).length
  expect(one.some((value) => value < 128)).toBe(true)
  // Where parts touch, edges are drawn once instead of twice.
  expect(different, `${ours}\n${theirs}`).toBeLessThan(10)
  expect(ours.match(/<\w/g)?.length).toBeLessThanOrEqual(theirs.match(/<\w/g)?.length ?? 0)
})

const kebab = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z0-9])/g, '-').toLowerCase()
