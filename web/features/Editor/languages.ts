import { defineLanguageFacet, Language, LanguageSupport, StreamLanguage, type StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'

const stream = (parser: StreamParser<unknown>): Extension => StreamLanguage.define(parser)

/** By the end of the name. Each is loaded with the first file that needs it. */
const LANGUAGES: readonly (readonly [RegExp, () => Promise<Extension>])[] = [
  [/\.(md|markdown)$/i, loadMarkdown],
  [
    /\.(json|geojson)$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/javascript')).json as StreamParser<unknown>),
  ],
  [
    /\.[cm]?jsx?$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/javascript')).javascript as StreamParser<unknown>),
  ],
  [
    /\.[cm]?tsx?$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/javascript')).typescript as StreamParser<unknown>),
  ],
  [
    /\.(css|scss|less)$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/css')).sCSS as StreamParser<unknown>),
  ],
  [/\.html?$/i, async () => stream((await import('@codemirror/legacy-modes/mode/xml')).html as StreamParser<unknown>)],
  [
    /\.(xml|svg)$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/xml')).xml as StreamParser<unknown>),
  ],
  [/\.ya?ml$/i, async () => stream((await import('@codemirror/legacy-modes/mode/yaml')).yaml as StreamParser<unknown>)],
  [/\.toml$/i, async () => stream((await import('@codemirror/legacy-modes/mode/toml')).toml as StreamParser<unknown>)],
  [
    /\.py$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/python')).python as StreamParser<unknown>),
  ],
  [
    /\.(sh|bash)$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/shell')).shell as StreamParser<unknown>),
  ],
  [
    /\.sql$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/sql')).standardSQL as StreamParser<unknown>),
  ],
]

/** Colours and indentation for a file; null: plain text. @throws Error when its code cannot be loaded */
export async function loadLanguage(name: string): Promise<Extension | null> {
  const load = LANGUAGES.find(([ending]) => ending.test(name))?.[1]
  return load ? load() : null
}

async function loadMarkdown(): Promise<Extension> {
  const { GFM, parser } = await import('@lezer/markdown')
  const data = defineLanguageFacet({ commentTokens: { block: { open: '<!--', close: '-->' } } })
  return new LanguageSupport(new Language(data, parser.configure([GFM]), [], 'markdown'))
}
