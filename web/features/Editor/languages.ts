import { defineLanguageFacet, Language, LanguageSupport } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { GFM, parser } from '@lezer/markdown'

/** Without code in any language. */
const PLAIN = /\.(txt|log|csv|tsv)$/i

/** Colours and indentation for a file; null: plain text. @throws Error when its code cannot be loaded */
export async function loadLanguage(name: string): Promise<Extension | null> {
  if (/\.(md|markdown)$/i.test(name)) return markdown()
  if (PLAIN.test(name)) return null
  const { codeLanguage } = await import('./codeModes.ts')
  return codeLanguage(name)
}

function markdown(): Extension {
  const data = defineLanguageFacet({ commentTokens: { block: { open: '<!--', close: '-->' } } })
  return new LanguageSupport(new Language(data, parser.configure([GFM]), [], 'markdown'))
}
