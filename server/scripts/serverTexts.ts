import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { translateSource } from '../../web/languages/texts.ts'
import { ACTIONS } from '../domain/activity/contract.ts'
import { sentenceOf } from '../domain/activity/service.ts'

/** Where sentences are made that people see. Descriptions of the APIs, mails and logs are not among them. */
const FILES =
  /^(?:domain\/|providers\/|telegram\/api|lib\/(?:clientName|trouble)|rest\/errors|rest\/download\/(?:send|headers)|graphql\/(?:errors|limits|multipart))/
const NO_FILES =
  /^domain\/(?:activity\/service|activity\/log|users\/(?:mails|recovery)|jobs|housekeeping|recording|secrets)|\/(?:sign|xml|cipher)\.ts$/
/** SQL, names of headers, keys, and faults that only a log reports. */
const NO_SENTENCE = new RegExp(
  [
    String.raw`\$\d|::|\bas "|\bis (?:not )?null\b|\b(?:coalesce|exists|encode)\s?\(`,
    String.raw`\b(?:select|insert into|delete from|order by|where|left join|union all|case when|for update|union)\b`,
    String.raw`^update \w+ (?:\w+ )?set|^from \w+|^(?:interval|fetch|close|truncate|drop table|savepoint|rollback|set transaction|values|with \w+ as)\b`,
    String.raw`^(?:[a-z]\.\w+|duplicate_groups|user_id|subject_id|id|mimeType|trashed|sharedWithMe|name) (?:=|in|>=|<=|!=|g|not|~)(?!\w)|=\s*['{]|^not |^\{\w+\} (?:in parents|like|union)|^\{(?:OPEN|CONTENT|FIND|ITEMS|DUE|column)\}`,
    String.raw`^(?:bytes|Bearer|Basic|Content-|private|copy|file job|delete user|skypool|share|known|upload link password) |^<|^\(|^\{\w+\}/|^\{\w+\} head|[;]\s*$|\bjsonb?\b|timestamptz|^\w+\.\w+$`,
    '^(?:id uuid|sha256 text|concat|interval|media|conjunction)|,(?:sans-serif|monospace)$',
  ].join('|'),
)

/** Whole sentences, whatever words of SQL are in them. */
const WHOLE = /^\p{Lu}\p{Ll}+ (?:\p{Ll}+ )+\p{Ll}+\.$/u

/** Faults of a program that uses a driver or a stream, answers of bots, and parts of requests. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set([
  'The content of a file is not what was received.',
  'A reader must read forward from its start.',
  'The reader was closed.',
  'A block differs from what was stored.',
  'Another object is stored there now.',
  'The pieces of a file are shorter than its size.',
  'The parts of a copy end before its file does.',
  'The copy is no longer read.',
  'No data for {round} seconds.',
  'An object ended before its last byte.',
  'The driver of an account with native documents cannot export them.',
  'A file at a provider has no block sums.',
  'This piece no longer needs to be sent.',
  'A batch has no outcome for one of its changes.',
  'The database returned no time.',
  'A file was to be cut into more than its accounts can hold.',
  'The driver of an account with an index cannot change entries.',
  '{FILE_COLUMNS}, f.sort_key',
  'f.user_id {direction}, ',
  'Please open the link that Skypool shows you, or send me the code shown there.',
  'Please write to me in a private chat.',
  'Confirmed. Please go back to Skypool to finish.',
  'This code is unknown, used already or older than ten minutes. Please ask Skypool for a new one.',
  'An insert returns its row.',
  '24 hours',
  '30 days',
  'The content of a file is not as long as its row says.',
  'A content ended without its hash.',
  'A batch has no outcome for one of its uploads.',
  'The parts of an upload are not as long as their rows say.',
  'An upload must be a stream of bytes.',
  'A key has . or .. in it.',
  'The root stays.',
  'Amazon S3',
  'Cloudflare R2',
  'Backblaze B2',
  'Files that Skypool stores here, as assets of releases. Please keep it private.',
  'Add a description',
  'sharedWithMe = true',
  'trashed = false',
  'Google Drive',
  'Google Photos',
  'Two drivers of one account have different methods.',
  'Unable to initialize RPS',
  'Bodies of control calls must be strings.',
  'Skypool is checking this channel.',
  '{texts}{head}Content-Type: application/octet-stream\r\n\r\n',
  'Skypool tries to write.\n',
  'A copy sends nothing.',
  'The returned range and the full size.',
  'private, no-cache',
  'private, no-store',
  'download cut off',
  'request failed',
])
/** Labels of one word are only in the forms of providers. */
const LABELS = /^providers\/(?:catalogue|.*\/(?:form|login|module))\.ts$/
const NO_LABELS =
  /^(?:Transient|Permanent|Forbidden|Conflict|Throttling|Corrupt|Unsupported|NotFound|Misconfigured|Part|Key|Prefix|No|None)$/

function isSentence(text: string, path: string): boolean {
  if (FOR_PROGRAMS.has(text)) return false
  if (!/\s/.test(text.trim())) return LABELS.test(path) && /^\p{Lu}\p{Ll}+$/u.test(text) && !NO_LABELS.test(text)
  return WHOLE.test(text) || !NO_SENTENCE.test(text)
}

/**
 * The sentences of the server that appear on screens, with the files they are in. Those of the activity log are put together
 * from what happened: they are made here for every action.
 */
export function textsOfServer(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const add = (text: string, file: string) => {
    const files = found.get(text) ?? []
    if (!files.includes(file)) files.push(file)
    found.set(text, files)
  }
  const paths = readdirSync('server', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  for (const path of paths.sort().filter((each) => FILES.test(each) && !NO_FILES.test(each))) {
    translateSource(readFileSync(join('server', path), 'utf8'), path, {
      locale: 'en',
      readModule: () => null,
      translate: (text) => {
        if (isSentence(text, path)) add(text, path)
        return text
      },
    })
  }
  for (const sentence of activitySentences()) add(sentence, 'domain/activity/service.ts')
  return found
}

const ACTOR = 'The key “{actor}”'

/** What each action can say: with and without each of the details that it asks for. */
function activitySentences(): Set<string> {
  const sentences = new Set<string>([
    ...[
      'You',
      'A visitor',
      'A visitor ({client})',
      'An API key',
      'A browser',
      'The key “{actor}”',
      '{count} items',
      '{count} files',
    ],
    ...['“{subject}” and one other', '“{subject}” and {count} others', 'A visitor named “{visitor}”'],
    ...['illegal content', 'harmful software', 'private information', 'another reason'],
  ])
  for (const action of ACTIONS)
    for (const count of [1, 7]) for (const sentence of sentencesOf(action, count)) sentences.add(sentence)
  return sentences
}

/** Details that are one of a few; all others are names. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  scope: ['EVERYTHING', 'OWN'],
  draining: ['false'],
  reason: ['ILLEGAL', 'MALWARE', 'PRIVACY', 'OTHER'],
}

function sentencesOf(action: (typeof ACTIONS)[number], count: number): string[] {
  const asked = new Set<string>()
  const say = (known: Readonly<Record<string, string>>) => {
    const get = (_target: object, name: string | symbol) => {
      asked.add(String(name))
      return known[String(name)]
    }
    const details = new Proxy<Record<string, string>>({}, { get })
    return sentenceOf(action, { actorKind: 'KEY', actorName: '{actor}', subjectName: '{subject}', count, details })
      .replace(ACTOR, '{actor}')
      .replace(/“\{subject\}”(?: and 6 others)?/g, '{subjects}')
      .replace('7', '{count}')
  }
  say({})
  // Some are asked for only when another is there.
  say(Object.fromEntries([...asked].map((name) => [name, name])))
  const choices = [...asked].reduce<Record<string, string>[]>(
    (all, name) =>
      all.flatMap((one) => [one, ...(KINDS[name] ?? [`{${name}}`]).map((value) => ({ ...one, [name]: value }))]),
    [{}],
  )
  // Not logged: a choice of nothing, and a new name without the one before.
  return choices.map(say).filter((sentence) => !/ {2}|\{subjects\}.*\{subjects\}/.test(sentence))
}
