import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import { clientFile, type Language, languageOf, translateFile } from './languages/catalogue.ts'
import { PSEUDO, PSEUDO_ARABIC } from './languages/pseudo.ts'

const SENTENCES = /^virtual:server-sentences$/
const PSEUDO_LANGUAGES: Readonly<Record<string, Language>> = { pseudo: PSEUDO, 'pseudo-arabic': PSEUDO_ARABIC }
/** The file of the page in each language but English; server/http/languages.ts knows them. */
const pageOf = (tag: string) => `index.${tag}.html`
const manifestOf = (tag: string) => `manifest.${tag}.webmanifest`
const MANIFEST_TEXTS = /"(description|name)": ("[^"]*")/g
const PAGE_TEXTS = /(?<=name="description" content=")[^"]*|(?<=<noscript>)[^<]*/g

/**
 * The client in another language: its texts are replaced while it is built, so that no client carries a catalogue and the
 * English one stays as it is written.
 * @param name the tag of a language in web/languages, `pseudo` or `pseudo-arabic`
 */
export function translated(name: string): Plugin {
  const language = PSEUDO_LANGUAGES[name] ?? languageOf(name)
  const text = (english: string, file: string) => language.translate(english, file) ?? english
  return {
    name: 'translated',
    enforce: 'pre',
    config: () => ({
      define: {
        'import.meta.env.VITE_LANGUAGE': JSON.stringify(language.tag),
        'import.meta.env.VITE_DIRECTION': JSON.stringify(language.direction),
      },
    }),
    resolveId: { filter: { id: SENTENCES }, handler: () => '\0server-sentences' },
    load: {
      filter: { id: /serverText\.ts$|^\0server-sentences$/ },
      handler(id) {
        if (id === '\0server-sentences') return `export default ${JSON.stringify(Object.entries(language.sentences))}`
        return clientFile(id) === 'lib/serverText.ts' ? `export * from '../languages/serverText.ts'` : null
      },
    },
    transform: {
      filter: { id: /\.tsx?(?:$|\?)/ },
      handler(code, id) {
        const file = clientFile(id)
        if (file === null) return null
        return { code: translateFile(code, file, language), map: null }
      },
    },
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html
          .replace('<html lang="en">', `<html lang="${language.tag}" dir="${language.direction}">`)
          .replace('/manifest.webmanifest', `/${manifestOf(language.tag)}`)
          .replace(PAGE_TEXTS, (english) => text(english, 'index.html')),
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = bundle['index.html']
        if (page?.type !== 'asset') throw new Error('The build has no page')
        delete bundle['index.html']
        this.emitFile({ type: 'asset', fileName: pageOf(language.tag), source: page.source })
        const manifest = readFileSync(`${import.meta.dirname}/public/manifest.webmanifest`, 'utf8')
        const source = manifest.replace(
          MANIFEST_TEXTS,
          (_, key: string, english: string) =>
            `"${key}": ${JSON.stringify(text(JSON.parse(english), 'public/manifest.webmanifest'))}`,
        )
        this.emitFile({ type: 'asset', fileName: manifestOf(language.tag), source })
      },
    },
  }
}
