import { readdirSync } from 'node:fs'
import type { Import } from './imports.ts'

/** Files that `from` matches may import, of our own code, only what `to` matches. The first rule that fits a file counts. */
export type Rule = { readonly from: RegExp; readonly to: readonly RegExp[]; readonly instead: string }

const DOMAIN_CONTRACTS = /^server\/domain\/[^/]+\.ts$/
const DB_TYPES = /^server\/db\/(generated\/|client\.ts)/
const PROVIDER_CONTRACTS = /^server\/providers\/(driver|errors|providers)\.ts$/
const LIB_AND_STORAGE = /^server\/(lib|storage)\//
const ANYTHING = [/^/]
const DRIVERS = readdirSync('server/providers', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'shared' && entry.name !== 'layers')
  .map(({ name }) => name)
const SCREENS = readdirSync('web/screens')

/** The arrows of the README's map. */
const RULES: readonly Rule[] = [
  { from: /^server\/(main|serve|site|keyRotation|compose)\.ts$/, to: ANYTHING, instead: '' },
  { from: /^server\/scripts\//, to: ANYTHING, instead: '' },
  { from: /^tests\//, to: ANYTHING, instead: '' },
  {
    from: /^server\/(env|settingTypes)\.ts$/,
    to: [/^server\/settingTypes\.ts$/],
    instead: 'Settings depend on nothing.',
  },
  folder('server/lib', [], 'lib knows nothing of ours: what needs more belongs to where that is.'),
  folder('server/storage', [/^server\/lib\//], 'storage keeps bytes under ids and knows no noun of the product.'),
  folder(
    'server/db',
    [/^server\/lib\//, DOMAIN_CONTRACTS],
    'db fulfils contracts of the domain and knows no rule of it.',
  ),
  folder(
    'server/queue',
    [/^server\/(lib|db)\//, DOMAIN_CONTRACTS],
    'queue carries jobs and does not know what they do.',
  ),
  {
    from: PROVIDER_CONTRACTS,
    to: [PROVIDER_CONTRACTS, /^server\/lib\//],
    instead: 'What all drivers promise depends on none of them.',
  },
  ...['shared', 'layers'].map((name) =>
    folder(
      `server/providers/${name}`,
      [PROVIDER_CONTRACTS, /^server\/lib\//],
      'What serves all drivers knows none of them.',
    ),
  ),
  ...DRIVERS.map((name) =>
    folder(
      `server/providers/${name}`,
      [PROVIDER_CONTRACTS, /^server\/providers\/shared\//, name === 'local' ? LIB_AND_STORAGE : /^server\/lib\//],
      'A driver knows its own service alone.',
    ),
  ),
  folder('server/providers', [/^server\/lib\//], 'The table of providers knows drivers and layers.'),
  folder('server/mail', [/^server\/lib\//], 'mail hands over what it is given and knows no noun of the product.'),
  folder(
    'server/domain',
    [/^server\/(lib|db|storage)\//, /^server\/mail\/mailer\.ts$/, PROVIDER_CONTRACTS],
    'The domain gets queue and events as functions, from compose.ts.',
  ),
  folder(
    'server/telegram',
    [/^server\/(domain|db|lib)\//, PROVIDER_CONTRACTS, /^server\/providers\/shared\//],
    'The bot hands what it hears to the domain.',
  ),
  folder('server/jobs', [/^server\/(domain|queue|lib)\//], 'A job calls the domain and nothing below it.'),
  folder(
    'server/rest',
    [/^server\/(domain|lib)\//, /^server\/storage\/(byteSource|errors)\.ts$/],
    'A route validates and calls a service.',
  ),
  folder(
    'server/graphql',
    [/^server\/(domain|lib)\//, DB_TYPES],
    'A resolver calls a service; of the database it knows types alone.',
  ),
  folder(
    'server/http',
    [/^server\/(graphql|rest|domain|lib)\//, /^server\/storage\/(byteSource|errors)\.ts$/],
    'http is the outermost layer and calls the doors.',
  ),
  folder('web/lib', [], 'web/lib is helpers without React state of a screen, and without GraphQL.'),
  folder('web/ui', [/^web\/lib\//], 'ui is building blocks without GraphQL.'),
  folder('web/relay', [/^web\/(lib|ui|__generated__)\//], 'relay is the way to the server, not the screens.'),
  folder(
    'web/features',
    [/^web\/(ui|relay|lib|__generated__)\//],
    'A feature serves several screens and knows none of them.',
  ),
  ...SCREENS.map((screen) =>
    folder(
      `web/screens/${screen}`,
      [/^web\/(features|ui|relay|lib|__generated__)\//, /^schema\.graphql$/],
      'A screen is made of features, ui, relay and lib, never of another screen.',
    ),
  ),
  { from: /^web\//, to: [/^web\//], instead: 'The client knows the server through schema.graphql alone.' },
]

function folder(path: string, to: readonly RegExp[], instead: string): Rule {
  const from = new RegExp(`^${path}/`)
  return { from, to: [from, ...to], instead }
}

/**
 * The nouns of the domain, the ones that know fewest others first: a noun imports only nouns before it, types included. What all of
 * them share (errors, events, jobs, the viewer) lies in `server/domain` itself.
 */
const NOUNS = [
  'changes',
  'secrets',
  'files',
  'activity',
  'accounts',
  'groupClouds',
  'transfers',
  'feed',
  'uploads',
  'copying',
  'users',
  'keys',
  'shares',
  'telegram',
  'recording',
]

/** What is wrong, one sentence each; empty when all is well. */
export function judge(imports: readonly Import[]): string[] {
  return [...imports.flatMap(judgeOne), ...imports.flatMap(judgeNouns), ...cyclesIn(imports)]
}

function judgeNouns({ from, to }: Import): string[] {
  const [noun, other] = [nounOf(from), nounOf(to)]
  if (noun === null || other === null || noun === other) return []
  const [place, otherPlace] = [NOUNS.indexOf(noun), NOUNS.indexOf(other)]
  if (place < 0) return [`server/domain/${noun} has no place in the order of nouns (tests/arch/rules.ts).`]
  return otherPlace < place
    ? []
    : [`${from} may not import ${to}. ${other} stands after ${noun} in the order of nouns.`]
}

function nounOf(path: string): string | null {
  return /^server\/domain\/([^/]+)\//.exec(path)?.[1] ?? null
}

function judgeOne({ from, to }: Import): string[] {
  if (to.startsWith('tests/') && !from.startsWith('tests/')) return [`${from} imports ${to}: tests are for tests.`]
  const rule = RULES.find((candidate) => candidate.from.test(from))
  if (!rule) return [`${from} is in no folder of the map (tests/arch/rules.ts).`]
  return rule.to.some((allowed) => allowed.test(to)) ? [] : [`${from} may not import ${to}. ${rule.instead}`]
}

/** In the domain types count too, elsewhere what is loaded at run time; generated code may be cyclic, it is not ours to untangle. */
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
