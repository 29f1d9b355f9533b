const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029\u115F\u1160\u3164\uFFA0]/u
/** The flags of some countries contain invisible characters: they are matched first and kept. */
const ODD = new RegExp(`\\u{1F3F4}[\\u{E0061}-\\u{E007A}]+\\u{E007F}|${UNSEEN.source}`, 'gu')
/** Joiners between such characters belong to emoji, or to languages that are not written without them. */
const JOINED = /[\p{L}\p{M}\p{Extended_Pictographic}]|\p{Emoji_Modifier}/u
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

/**
 * A name in which invisible control characters are shown: "‮gpj.exe" hides its ending, "⟨U+202E⟩gpj.exe"
 * does not. Characters that a script or an emoji needs are kept.
 */
export function visibleName(name: string): string {
  if (!UNSEEN.test(name)) return name
  return name.replace(ODD, (found, at: number) => (isWritten(name, found, at) ? found : codeOf(found)))
}

/**
 * Whether part of it is written from right to left: then its parts are drawn apart, so that the ending stands at the
 * end.
 */
export const isRightToLeft = (name: string): boolean => RIGHT_TO_LEFT.test(name)

/**
 * A name within a sentence, a title or a label: invisible characters are shown, and text of the other direction than the
 * page's is kept apart from the words around it (FSI and PDI, Unicode's own `<bdi>`), its ending last.
 */
export function nameText(name: string): string {
  const visible = visibleName(name)
  if (!isRightToLeft(visible)) {
    return import.meta.env.VITE_DIRECTION === 'rtl' ? `\u2068${visible}\u2069` : visible
  }
  const { stem, ending } = splitEnding(visible)
  return `\u2068${stem}\u2069${isRightToLeft(ending) ? `\u2068${ending}\u2069` : ending}`
}

/** A sentence of the server, in which names stand in quotation marks. */
export const quotedNames = (text: string): string =>
  text.replace(/“([^”]*)”/g, (_, name: string) => `“${nameText(name)}”`)

/** "Plan.final" and ".pdf"; an ending of more than 8 characters is part of the stem. */
export function splitEnding(name: string): { stem: string; ending: string } {
  const dot = name.lastIndexOf('.')
  const isEnding = dot > 0 && name.length - dot <= 8
  return isEnding ? { stem: name.slice(0, dot), ending: name.slice(dot) } : { stem: name, ending: '' }
}

function isWritten(name: string, found: string, at: number): boolean {
  if (found.startsWith('\u{1F3F4}')) return true
  if (found !== '\u200C' && found !== '\u200D') return false
  const before = [...name.slice(Math.max(0, at - 2), at)].at(-1) ?? ''
  const after = String.fromCodePoint(name.codePointAt(at + 1) ?? 0)
  return [before, after].every((character) => character > '\u007F' && JOINED.test(character))
}

const codeOf = (character: string) =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
