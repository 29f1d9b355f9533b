import { type Language, readCatalogue } from './catalogue.ts'

const ACCENTS: Readonly<Record<string, string>> = Object.fromEntries(
  [...'aáeéiíoóuúyýcçnñsšzžAÁEÉIÍOÓUÚCÇNÑSŠZŽ'].flatMap((letter, index, all) =>
    index % 2 === 0 ? [[letter, all[index + 1] ?? letter]] : [],
  ),
)
const ARABIC = 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي'
const PIECES = /(\{\w+\}|<\/?\d+>)/

const words = (text: string, change: (letter: string) => string): string =>
  text
    .split(PIECES)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(/\p{L}/gu, change)))
    .join('')

/**
 * English with accents, each text in brackets: what has none is not in the catalogue, and two pairs next to each
 * other are one sentence that was glued together.
 */
const bracketed = (text: string) => `⟦${words(text, (letter) => ACCENTS[letter] ?? letter)}⟧`
const arabic = (text: string) =>
  words(text, (letter) => ARABIC[letter.toLowerCase().charCodeAt(0) % ARABIC.length] ?? letter)
/** The sentences are those that any language has. */
const sentencesIn = (write: (text: string) => string) =>
  Object.fromEntries(Object.keys(readCatalogue('de').server).map((text) => [text, write(text)]))

export const PSEUDO: Language = {
  tag: 'en-XA',
  direction: 'ltr',
  translate: bracketed,
  sentences: sentencesIn(bracketed),
}

/** Arabic letters that say nothing, as long as the English text: shows a layout from right to left. */
export const PSEUDO_ARABIC: Language = {
  tag: 'ar-XB',
  direction: 'rtl',
  translate: arabic,
  sentences: sentencesIn(arabic),
}
