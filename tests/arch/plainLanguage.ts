import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

/** What is searched for, in texts whose identifiers are split into words (`settleFiles` is `settle·Files`), and what to write instead. */
type Term = { readonly pattern: string; readonly instead: string; readonly sameCase?: true }

/** Names that an earlier version of the code gave to things which have a usual name. */
const NAMES: readonly Term[] = [
  { pattern: String.raw`\bsoles\b`, instead: 'singleAccount' },
  { pattern: String.raw`\bdiscreet\b`, instead: 'redactErrors' },
  { pattern: String.raw`(?<!all·)\bsettl(?:e[sd]?|ing|ement)\b`, instead: 'reconcile, finish, resolve' },
  { pattern: String.raw`\bexpect·break\b`, instead: 'ignoreStreamError' },
  { pattern: String.raw`\blooked·up\b`, instead: 'found' },
  { pattern: String.raw`\bseal(?:s|ed|ing)?\b`, instead: 'encrypt, encryption, rotateKeys' },
  { pattern: String.raw`\bhomes\b`, instead: 'rootFolders' },
  { pattern: String.raw`\b(?:take[sn]?|took|taking)(?:\s|·)back\b`, instead: 'revoke, undo' },
  { pattern: String.raw`\bmailbox(?:es)?\b`, instead: 'queue' },
  { pattern: String.raw`(?<!·)\bLetter\b`, instead: 'message', sameCase: true },
  { pattern: String.raw`\bkick(?:s|ed|ing)?\b`, instead: 'wake-up' },
  {
    pattern: String.raw`\b(?:between|two|further|such|these|more|many)\s(?:the\s)?(?:two\s)?looks\b`,
    instead: 'polls',
  },
  { pattern: String.raw`[a-z]·Words\b|\bwords\.tsx?\b`, instead: 'messages', sameCase: true },
]

/** Old-fashioned turns, metaphors, and things that are spoken of as if they were people. */
const TURNS: readonly Term[] = [
  { pattern: String.raw`\banew\b`, instead: 'again' },
  { pattern: String.raw`\bby\sand\sby\b`, instead: 'gradually, in the background' },
  { pattern: String.raw`\bfor\sgood\b`, instead: 'permanently' },
  { pattern: String.raw`\bshall\b`, instead: 'should, must, will' },
  { pattern: String.raw`\b(?:is|are|was|were|be|been)\stold\b`, instead: 'is called, receives, is notified' },
  { pattern: String.raw`\btold\sof\b`, instead: 'called for, notified of' },
  { pattern: String.raw`\bnobody\b`, instead: 'no one, no process, no user, unused' },
  { pattern: String.raw`\bsomebody\b`, instead: 'a user, another process' },
  { pattern: String.raw`\bin\swords\b`, instead: 'as text' },
  { pattern: String.raw`\bat\sall\stimes\b`, instead: 'always' },
  { pattern: String.raw`\blest\b`, instead: 'so that ... not' },
  { pattern: String.raw`\bthereof\b`, instead: 'of it' },
  { pattern: String.raw`\bof\s(?:its|their)\sown\b`, instead: 'its own ..., a separate ...' },
  { pattern: String.raw`\basks?\sof\b`, instead: 'requires' },
  { pattern: String.raw`\b(?:stands?|stood|standing)\sstill\b`, instead: 'stalls, stops' },
  { pattern: String.raw`\b(?:go|goes|went|going)\son\b`, instead: 'continues, resumes' },
  { pattern: String.raw`\b(?:lies?|lay|lying)\s(?:in|at|on)\b`, instead: 'is in, is stored in' },
  { pattern: String.raw`\bunder\sway\b`, instead: 'in progress, active' },
  { pattern: String.raw`\bbeside\b`, instead: 'next to, in addition to' },
  { pattern: String.raw`\bor\sthe\slike\b`, instead: 'or similar' },
  { pattern: String.raw`\bknows?\sof\b`, instead: 'knows, has' },
]

/** Uses of these terms that are right, each with its reason. They are removed before a text is searched. */
const EXCEPTIONS: readonly { readonly text: RegExp; readonly in?: RegExp; readonly because: string }[] = [
  {
    text: /'skypool sealing'/g,
    because: 'A label that every key is derived with: another one could not decrypt what is stored.',
  },
  {
    text: /\bsealing_check\b|\bSealingCheck\b|\bsealed_key\b|\bsealedKey\b/g,
    because: 'A table and a column: renaming them takes a migration.',
  },
  {
    text: /\b(?:c|row|rows\[0\]\?|excluded)\.sealed\b|\bset sealed\b|\bselect sealed\b|\(sealed\)|, sealed,|\bsealed: string\b|'sealed'/g,
    in: /^server\/domain\/(?:accounts|secrets|keys)\//,
    because: 'The column of encrypted texts, in SQL and in the types of its rows.',
  },
  { text: /\bsettling\b/g, in: /^server\/domain\/files\//, because: 'A column, in SQL and in the types of its rows.' },
  { text: /\bsealed\s+(?:Bytes|String)\b|\bsettling\s+String\b/g, in: /^prisma\//, because: 'Columns in the schema.' },
  {
    text: /\bsettling\b(?! *[=(])/g,
    in: /^server\/domain\/files\//,
    because: 'The column that marks folders whose content is still being marked as trashed.',
  },
  {
    text: /\bsettleFiles\b|`settle \$\{userId\}|'transfers-load-settle'/g,
    because: 'Names of a job, of its key in the queue and of a prepared statement: rows of earlier versions have them.',
  },
]

const TEXT_FILE = /\.(?:ts|tsx|mts|mjs|cjs|js|css|html|md|prisma|yaml|conf|service)$|(?:^|\/)Dockerfile$/
const GENERATED = /__generated__\/|^server\/db\/generated\//
/** The lists themselves, and the test that plants violations. */
const OWN = /^tests\/arch\/plainLanguage(?:\.test)?\.ts$/

/** Everything that is searched; migrations and generated files are what they are. */
const SEARCHED = [
  'server',
  'web',
  'docs',
  'deploy',
  'tests/arch',
  'tests/tools',
  'prisma/schema.prisma',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'compose.yaml',
  'Dockerfile',
]

/** One sentence for each banned term in what is checked; empty if there is none. */
export function judgeLanguage(root: string): string[] {
  return findBannedTerms(root, SEARCHED).map(sentenceOf)
}

/** How a finding is printed. */
export function sentenceOf({ file, line, said, instead }: Finding): string {
  return `${file}:${line} says “${said}”. Plain words (tests/arch/plainLanguage.ts): ${instead}.`
}

export type Finding = { readonly file: string; readonly line: number; readonly said: string; readonly instead: string }

/** Every banned term in the text files at or below `paths`: in comments, strings and identifiers. */
export function findBannedTerms(root: string, paths: readonly string[]): Finding[] {
  return paths
    .flatMap((path) => filesAt(root, path))
    .flatMap((file) => findIn(file, readFileSync(join(root, file), 'utf8')))
}

function findIn(file: string, text: string): Finding[] {
  const allowed = EXCEPTIONS.filter((exception) => exception.in?.test(file) ?? true).map((exception) => exception.text)
  const searched = splitIdentifiers(allowed.reduce((kept, pattern) => kept.replace(pattern, ''), text))
  return TERMS.flatMap(({ pattern, instead }) =>
    [...searched.matchAll(pattern)].map((match) => ({
      file,
      line: searched.slice(0, match.index).split('\n').length,
      said: match[0].replace(/\s[\s*/#>]*/g, ' ').replaceAll('·', ''),
      instead,
    })),
  ).sort((a, b) => a.line - b.line)
}

/** A break of a line inside a comment counts as one space, with the marks that begin the next line. */
const SPACE = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:\*|\/{2,3}|#|>)?[ \t]*)`
const TERMS = [...NAMES, ...TURNS].map(({ pattern, instead, sameCase }) => ({
  pattern: new RegExp(pattern.replaceAll(String.raw`\s`, SPACE), sameCase ? 'g' : 'gi'),
  instead,
}))

function splitIdentifiers(text: string): string {
  return text.replace(/([a-z\d])(?=[A-Z])/g, '$1·').replace(/(?<=[A-Za-z])_(?=[A-Za-z])/g, '·')
}

function filesAt(root: string, path: string): string[] {
  const full = join(root, path)
  if (!existsSync(full)) return []
  const files = statSync(full).isFile()
    ? [path]
    : readdirSync(full, { recursive: true, encoding: 'utf8' }).map((file) => `${path}/${file.split(sep).join('/')}`)
  return files.filter((file) => TEXT_FILE.test(file) && !GENERATED.test(file) && !OWN.test(file))
}
