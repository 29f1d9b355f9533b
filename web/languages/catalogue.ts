import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { NOT_TEXTS } from './notTexts.ts'
import { translateSource } from './texts.ts'

const WEB = dirname(import.meta.dirname)
const SOURCE = /\.tsx?$/
/** What runs only while building is not part of the client. */
const NO_CLIENT = /^(?:__generated__|languages|vite)/

/** The texts of one language; keys are the English texts, with the same placeholders. */
export type Catalogue = {
  readonly texts: Readonly<Record<string, string>>
  /** Where one English word has two meanings: by file, from the folder of the web client. */
  readonly inFiles: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Sentences of the server that appear on screens. */
  readonly server: Readonly<Record<string, string>>
}

export type Language = {
  /** For the `lang` of the page and for Intl. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  /** @returns undefined when the language does not have the text */
  readonly translate: (text: string, file: string) => string | undefined
  /** Sentences of the server, by the English ones. */
  readonly sentences: Catalogue['server']
}

/** @throws Error when there is no catalogue for the language */
export function readCatalogue(tag: string): Catalogue {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${tag}.json`), 'utf8'))
}

export function languageOf(tag: string): Language {
  const { texts, inFiles, server } = readCatalogue(tag)
  const translate = (text: string, file: string) => inFiles[file]?.[text] ?? texts[text]
  return { tag, direction: 'ltr', translate, sentences: server }
}

/** The path of a source of the client as catalogues name it; null for other files. */
export function clientFile(id: string): string | null {
  const [path = ''] = id.split('?')
  const file = relative(WEB, path).split(sep).join('/')
  return SOURCE.test(file) && !file.startsWith('..') && !NO_CLIENT.test(file) ? file : null
}

/**
 * The source of one file in a language.
 * @param missing receives each text that the language does not have; it stays English
 */
export function translateFile(
  code: string,
  file: string,
  language: Language,
  missing: (text: string, file: string) => void = () => undefined,
): string {
  return translateSource(code, file, {
    locale: language.tag,
    readModule: (specifier) => {
      const path = join(WEB, dirname(file), specifier)
      return existsSync(path) && SOURCE.test(path) ? readFileSync(path, 'utf8') : null
    },
    translate: (text) => {
      if (NOT_TEXTS.has(text)) return text
      const translated = language.translate(text, file)
      if (translated === undefined) missing(text, file)
      return translated ?? text
    },
  })
}

/** All texts of the client with the files they are in, in the order of the files. */
export function textsOfClient(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const collect = (text: string, file: string) => {
    const files = found.get(text) ?? []
    if (!files.includes(file)) files.push(file)
    found.set(text, files)
    return text
  }
  const english: Language = { tag: 'en', direction: 'ltr', translate: collect, sentences: {} }
  const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).map((path) => clientFile(join(WEB, path)))
  for (const file of files.filter((each) => each !== null).sort()) {
    translateFile(readFileSync(join(WEB, file), 'utf8'), file, english)
  }
  return found
}
