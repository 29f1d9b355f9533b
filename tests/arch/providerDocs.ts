import {
  configuredModules,
  describeProviders,
  PROVIDERS,
  type ProviderConnect,
  type ProviderRow,
} from '../../server/providers/catalogue.ts'
import type { ProviderInfo } from '../../server/providers/providers.ts'
import { createHostGuard } from '../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { allResults, type Results } from '../conformance/results.ts'

export const PROVIDERS_PAGE = 'docs/providers.md'
export const CONFORMANCE_PAGE = 'tests/conformance/README.md'

const BEGIN = (id: string) => `<!-- ${id}: made by npm run doc-tables -->`
const END = (id: string) => `<!-- ${id}: end -->`

const POOL: Readonly<Record<ProviderInfo['poolUse'], string>> = {
  FULL: 'any copy of a file',
  EXTRA_COPIES: 'extra copies only, never the only copy of a file unless you allow it there',
  NONE: 'none: its accounts cannot be members',
}

/** What the catalogue says of each provider that has a driver, as Markdown, by id. */
export function providerFacts(): Map<string, string> {
  const settings = Object.fromEntries(
    PROVIDERS.flatMap(({ connect }) => connect?.settings ?? []).map((name) => [name, 'x']),
  )
  const guard = createHostGuard([])
  const modules = configuredModules(PROVIDERS, createHttp({ emulatorUrl: null }), guard, settings)
  const infos = describeProviders(PROVIDERS, new Map(modules.map((module) => [module.kind, module])), settings)
  return new Map(
    PROVIDERS.flatMap((row) => {
      const info = infos.find(({ id }) => id === row.id)
      return row.connect && info ? [[row.id, factsOf(row.connect, info)] as const] : []
    }),
  )
}

function factsOf({ by, settings }: ProviderConnect, info: ProviderInfo): string {
  const setup =
    info.setupSteps.length > 0 ? ['**Set up**, by the administrator, once:', '', ...setupList(info), ''] : []
  const names = settings.map((name) => `\`${name}\``).join(', ')
  return [
    BEGIN(info.id),
    '',
    ...setup,
    '**Connect**, by each user:',
    '',
    ...numbered(connectList(by, info)),
    '',
    '**What it can do:**',
    '',
    `- Connected ${by === 'OAUTH' ? 'in a window of the provider' : 'with a form'}. Settings: ${names || 'none'}.`,
    `- Access: ${info.access}`,
    ...[...info.capabilities, ...info.limits].map((fact) => `- ${escaped(fact)}`),
    `- In group clouds: ${POOL[info.poolUse]}.${info.poolReason === null ? '' : ` ${info.poolReason}`}`,
    '',
    END(info.id),
  ].join('\n')
}

const numbered = (steps: readonly string[]): string[] => steps.map((step, index) => `${index + 1}. ${step}`)

/** The first sentence of each step is its heading, as on the page of Add Storage, and lines of settings follow the step that names them. */
function setupList({ setupSteps, requiredSettings }: ProviderInfo): string[] {
  return numbered(setupSteps.map((step) => escaped(step).replace(/^(.*?\.)(?=\s)/, '**$1**'))).flatMap(
    (step, index) => {
      const named = requiredSettings.filter((name) => setupSteps[index]?.includes(name))
      return named.length === 0 ? [step] : [step, '', '   ```sh', ...named.map((name) => `   ${name}=`), '   ```', '']
    },
  )
}

/** What is the same for all providers, around what the catalogue has. */
function connectList(by: ProviderConnect['by'], info: ProviderInfo): string[] {
  const { name, connectSteps, signInHints, canShowEverything, poolUse } = info
  const isAsked = canShowEverything && poolUse !== 'NONE'
  const open = [
    `In *Cloud Integration*, select *Add Storage*, **${name}**, and enter a name for the account.`,
    ...(isAsked ? ['Choose *Everything in this account*, or *Only what Skypool stores*.'] : []),
  ].join(' ')
  const pool = 'Select *Add to …* if a group cloud should use its space, otherwise *Not now*.'
  const end = [poolUse === 'NONE' ? 'Select *Done*.' : pool]
  if (by === 'FORM') {
    const last = connectSteps.at(-1)?.includes('choose Connect') ? [] : ['Select *Connect*.']
    return [open, ...connectSteps.map(escaped), ...last, ...end]
  }
  const connect = 'Select *Connect*. In the window that opens, sign in and allow the access.'
  return [...connectSteps.map(escaped), open, connect, ...signInHints.map(escaped), ...end]
}

/** Placeholders would be read as HTML. */
const escaped = (text: string): string =>
  text.replaceAll(/(?:https:[^\s)]*)?<[A-Z_a-z ]+>[^\s,)]*[^\s,.)]/g, (found) => `\`${found}\``)

/**
 * docs/providers.md with the facts of every provider below its heading; what is written around them is kept. A provider without a
 * heading gets one, before `## Telegram` or else at the end.
 */
export function withProviderFacts(text: string): string {
  return [...providerFacts()].reduce(
    (page, [id, facts]) =>
      placed(
        page,
        PROVIDERS.find((row) => row.id === id),
        facts,
      ),
    text,
  )
}

function placed(page: string, row: ProviderRow | undefined, facts: string): string {
  if (!row) return page
  const [from, to] = [page.indexOf(BEGIN(row.id)), page.indexOf(END(row.id))]
  if (from >= 0 && to > from) return page.slice(0, from) + facts + page.slice(to + END(row.id).length)
  const heading = new RegExp(`^## ${row.name}\\b.*$`, 'm').exec(page)
  if (heading) {
    const end = heading.index + heading[0].length
    return `${page.slice(0, end)}\n\n${facts}${page.slice(end)}`
  }
  const next = page.indexOf('## What Skypool does in an account')
  const at = next < 0 ? page.length : next
  return `${page.slice(0, at)}## ${row.name}\n\n${facts}\n\n${page.slice(at)}`
}

/** The cases of the conformance suite as rows and the drivers as columns; a number stands for the reason of a skip, listed below. */
function conformanceTable(): string {
  const all = allResults()
  const names = [...new Set(all.flatMap(({ cases }) => Object.keys(cases)))]
  const reasons = [...new Set(all.flatMap(({ cases }) => Object.values(cases).flatMap((reason) => reason ?? [])))]
  const cell = ({ cases }: Results, name: string): string => {
    const reason = cases[name]
    if (reason === undefined) return ''
    return reason === null ? 'yes' : `(${reasons.indexOf(reason) + 1})`
  }
  const rows = names.map((name) => `| ${name} | ${all.map((one) => cell(one, name)).join(' | ')} |`)
  return [
    `| Case | ${all.map(({ name }) => name).join(' | ')} |`,
    `|---|${all.map(() => '---|').join('')}`,
    ...rows,
    '',
    ...reasons.map((reason, index) => `${index + 1}. ${reason}`),
  ].join('\n')
}

/** The page with the results. */
export function conformancePage(): string {
  return `# What every driver is tested for

Made by \`npm run doc-tables\` from the results of the last run of the suite in \`tests/conformance\`: one column for each driver, on the real
server or on the emulated service that it is tested with. *yes*: it passed. A number: the case cannot apply, for the reason below. The run
fails when its results differ from these.

${conformanceTable()}
`
}
