import { readdirSync } from 'node:fs'
import { type Catalogue, readCatalogue, textsOfClient } from '../../web/languages/catalogue.ts'
import { textsOfServer } from './serverTexts.ts'

const FOLDER = 'web/languages'
const PLACEHOLDER = /\{\w+\}|<\/?\d+>/g
/** What a text begins or ends with when the code puts it next to another one. */
const GLUED = /^[\s,;.]|[\s,;]$/

const client = textsOfClient()
const server = await textsOfServer()
const problems = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => problemsOf(name.slice(0, -'.json'.length)))

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
if (!process.argv.includes('--check')) {
  console.log(`${client.size} texts of the client, ${server.size} sentences of the server`)
  for (const [text, files] of client) if (GLUED.test(text)) console.log(`glued: ${JSON.stringify(text)} (${files})`)
}

/** Texts that the language lacks, has without need, or has with other placeholders. */
function problemsOf(tag: string): string[] {
  const catalogue = readCatalogue(tag)
  const inFiles = Object.values(catalogue.inFiles).flatMap((texts) => Object.entries(texts))
  const all = [...Object.entries(catalogue.texts), ...inFiles, ...Object.entries(catalogue.server)]
  return [
    ...missing(tag, client, catalogue.texts),
    ...missing(tag, server, catalogue.server),
    ...unused(tag, catalogue),
    ...all
      .filter(([text, translated]) => placeholdersOf(text) !== placeholdersOf(translated))
      .map(([text]) => `${tag}: other placeholders: ${JSON.stringify(text)}`),
  ]
}

function missing(tag: string, texts: ReadonlyMap<string, string[]>, known: Catalogue['texts']): string[] {
  return [...texts]
    .filter(([text]) => !known[text])
    .map(([text, files]) => `${tag}: missing: ${JSON.stringify(text)} (${files.join(', ')})`)
}

function unused(tag: string, { texts, inFiles, server: sentences }: Catalogue): string[] {
  const inNoFile = Object.entries(inFiles).flatMap(([file, own]) =>
    Object.keys(own).filter((text) => !client.get(text)?.includes(file)),
  )
  return [
    ...Object.keys(texts).filter((text) => !client.has(text)),
    ...inNoFile,
    ...Object.keys(sentences).filter((text) => !server.has(text)),
  ].map((text) => `${tag}: unused: ${JSON.stringify(text)}`)
}

function placeholdersOf(text: string): string {
  return (text.match(PLACEHOLDER) ?? []).sort().join(' ')
}
