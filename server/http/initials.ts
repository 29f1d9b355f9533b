import { escapeHtml } from '../lib/html.ts'

const SIZE = 80
/** The accent: hues stand for storage accounts, and for nothing else. */
const COLOUR = '#07637d'

/** A picture of somebody's initials, as SVG without scripts or styles. */
export function initialsSvg(fullName: string): string {
  const half = SIZE / 2
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 ${SIZE} ${SIZE}">
<rect width="${SIZE}" height="${SIZE}" fill="${COLOUR}"/>
<text x="${half}" y="${half}" dy="0.36em" text-anchor="middle" fill="#fff" font-size="32" font-weight="600"
 font-family="Inter, system-ui, sans-serif">${escapeHtml(initialsOf(fullName))}</text>
</svg>`
}

/** First letters of the first and the last word, as people write them: "Ada King Lovelace" is AL. */
export function initialsOf(fullName: string): string {
  const words = fullName.trim().split(/\s+/)
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return ends.map((word) => firstLetter(word ?? '')).join('')
}

function firstLetter(word: string): string {
  const [first] = new Intl.Segmenter().segment(word)
  return (first?.segment ?? '').toUpperCase()
}
