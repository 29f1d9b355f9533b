import { readdirSync } from 'node:fs'
import type { Import } from './imports.ts'

/** Files that match `from` may import, from this project, only files that match `to`. The first rule that matches a file applies. */
export type Rule = { readonly from: RegExp; readonly to: readonly RegExp[]; readonly instead: string }

const DOMAIN_CONTRACTS = /^server\/domain\/[^/]+\.ts$/
const DB_TYPES = /^server\/db\/(generated\/|client\.ts)/
const PROVIDER_CONTRACTS = /^server\/providers\/(driver|errors|exportTypes|providers)\.ts$/
const LIB_AND_STORAGE = /^server\/(lib|storage)\//
const ANYTHING = [/^/]
const DRIVERS = readdirSync('server/providers', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'shared' && entry.name !== 'layers')
  .map(({ name }) => name)
const SCREENS = readdirSync('web/screens')

/** The map of the code in docs/architecture.md. */
const RULES: readonly Rule[] = [
  {
    from: /^server\/(main|supervisor|moveDatabase|moveStorage|storageMove|openDatabase|openStorage|serve|duties|site|keyRotation|compose)\.ts$/,
    to: ANYTHING,
    instead: '',
  },
  { from: /^server\/scripts\//, to: ANYTHING, instead: '' },
  { from: /^tests\//, to: ANYTHING, instead: '' },
  {
    from: /^server\/(env|settingTypes)\.ts$/,
    to: [/^server\/settingTypes\.ts$/],
    instead: 'Settings depend on nothing.',
  },
  folder(
    'server/lib',
    [],
    'lib has no other dependency in this project: code that needs one belongs in the folder of that dependency.',
  ),
  folder('server/storage', [/^server\/lib\//], 'storage stores bytes under ids and does not depend on the domain.'),
  folder(
    'server/db',
    [/^server\/lib\//, DOMAIN_CONTRACTS, /^server\/storage\/(s3|move)\/rows\.ts$/],
    'db implements contracts of the domain and of storage, and contains no product rules.',
  ),
  folder(
    'server/queue',
    [/^server\/(lib|db)\//, DOMAIN_CONTRACTS],
    'queue transports jobs and does not depend on what they do.',
  ),
  {
    from: PROVIDER_CONTRACTS,
    to: [PROVIDER_CONTRACTS, /^server\/lib\//],
    instead: 'The contract of drivers depends on no driver.',
  },
  ...['shared', 'layers'].map((name) =>
    folder(
      `server/providers/${name}`,
      [PROVIDER_CONTRACTS, /^server\/lib\//],
      'Code shared by all drivers depends on no driver.',
    ),
  ),
  ...DRIVERS.map((name) =>
    folder(
      `server/providers/${name}`,
      [PROVIDER_CONTRACTS, /^server\/providers\/shared\//, name === 'local' ? LIB_AND_STORAGE : /^server\/lib\//],
      'A driver depends only on its own provider.',
    ),
  ),
  folder('server/providers', [/^server\/lib\//], 'The table of providers depends on drivers and layers.'),
  folder('server/thumbnails', [/^server\/lib\//], 'thumbnails draws bytes and does not depend on the domain.'),
  folder(
    'server/telemetry',
    [
      /^server\/(lib|storage)\//,
      PROVIDER_CONTRACTS,
      /^server\/providers\/layers\/wrapDriver\.ts$/,
      /^server\/(db\/figures|http\/following|jobs\/task|thumbnails\/maker)\.ts$/,
    ],
    'telemetry wraps contracts and does not depend on what is behind them.',
  ),
  folder('server/mail', [/^server\/lib\//], 'mail sends messages and does not depend on the domain.'),
  folder(
    'server/domain',
    [/^server\/(lib|db|storage)\//, /^server\/mail\/mailer\.ts$/, PROVIDER_CONTRACTS],
    'The domain receives queue and events as functions, from compose.ts.',
  ),
  folder(
    'server/telegram',
    [/^server\/(domain|db|lib)\//, PROVIDER_CONTRACTS, /^server\/providers\/shared\//],
    'The bot passes messages to the domain.',
  ),
  folder('server/jobs', [/^server\/(domain|queue|lib)\//], 'A job calls the domain only.'),
  folder(
    'server/rest',
    [/^server\/(domain|lib)\//, /^server\/storage\/(byteSource|errors)\.ts$/],
    'A route validates and calls a service.',
  ),
  folder(
    'server/graphql',
    [/^server\/(domain|lib)\//, DB_TYPES],
    'A resolver calls a service; of the database it uses only types.',
  ),
  folder(
    'server/http',
    [/^server\/(graphql|rest|domain|lib)\//, /^server\/storage\/(byteSource|errors)\.ts$/],
    'http is the outermost layer and calls REST and GraphQL.',
  ),
  folder('web/lib', [], 'web/lib has helpers without React state of a screen, and without GraphQL.'),
  folder('web/ui', [/^web\/lib\//], 'ui has components without GraphQL.'),
  folder(
    'web/relay',
    [/^web\/(lib|ui|__generated__)\//],
    'relay connects to the server and does not depend on screens.',
  ),
  folder(
    'web/features',
    [/^web\/(ui|relay|lib|__generated__)\//],
    'A feature is used by several screens and depends on none of them.',
  ),
  ...SCREENS.map((screen) =>
    folder(
      `web/screens/${screen}`,
      [/^web\/(features|ui|relay|lib|__generated__)\//, /^schema\.graphql$/],
      'A screen uses features, ui, relay and lib, but no other screen.',
    ),
  ),
  { from: /^web\//, to: [/^web\//], instead: 'The client depends on the server only through schema.graphql.' },
]

function folder(path: string, to: readonly RegExp[], instead: string): Rule {
  const from = new RegExp(`^${path}/`)
  return { from, to: [from, ...to], instead }
}

/**
 * The nouns of the domain, those with the fewest dependencies first: a noun imports only nouns before it, types included. What all of
 * them share (errors, events, jobs, the viewer) is in `server/domain` itself.
 */
const NOUNS = [
  'idempotency',
  'changes',
  'secrets',
  'files',
  'tags',
  'thumbnails',
  'activity',
  'accounts',
  'inPlace',
  'search',
  'room',
  'duplicates',
  'groupClouds',
  'transfers',
  'feed',
  'uploads',
  'copying',
  'protection',
  'versions',
  'fileJobs',
  'users',
  'keys',
  'shares',
  'uploadLinks',
  'telegram',
  'recording',
]

/** One sentence for each import that breaks a rule. */
export function judge(imports: readonly Import[]): string[] {
  return [...imports.flatMap(judgeOne), ...imports.flatMap(judgeNouns), ...cyclesIn(imports)]
}

function judgeNouns({ from, to }: Import): string[] {
  const [noun, other] = [nounOf(from), nounOf(to)]
  if (noun === null || other === null || noun === other) return []
  const [place, otherPlace] = [NOUNS.indexOf(noun), NOUNS.indexOf(other)]
  if (place < 0) return [`server/domain/${noun} is missing in the order of nouns (tests/arch/rules.ts).`]
  return otherPlace < place ? [] : [`${from} may not import ${to}. ${other} comes after ${noun} in the order of nouns.`]
}

function nounOf(path: string): string | null {
  return /^server\/domain\/([^/]+)\//.exec(path)?.[1] ?? null
}

function judgeOne({ from, to }: Import): string[] {
  if (to.startsWith('tests/') && !from.startsWith('tests/'))
    return [`${from} imports ${to}: only tests may import tests.`]
  const rule = RULES.find((candidate) => candidate.from.test(from))
  if (!rule) return [`${from} has no rule in tests/arch/rules.ts.`]
  return rule.to.some((allowed) => allowed.test(to)) ? [] : [`${from} may not import ${to}. ${rule.instead}`]
}

/** In the domain, imports of types count too; elsewhere only what is loaded at run time. Generated code may be cyclic. */
function cyclesIn(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>()
  for (const { from, to, typeOnly } of imports) {
    const counts = !typeOnly || nounOf(from) !== null
    if (counts && !/generated/.test(from + to)) targets.set(from, [...(targets.get(from) ?? []), to])
  }
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push(`A cycle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
    if (path.includes(file) || done.has(file)) return
    for (const next of targets.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return cycles
}
