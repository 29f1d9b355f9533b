import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROVIDERS } from '../../server/providers/catalogue.ts'
import { allResults } from '../conformance/results.ts'
import { CONFORMANCE_PAGE, conformancePage, PROVIDERS_PAGE, providerFacts } from './providerDocs.ts'
import { replaceTable, TABLES } from './tables.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const DOCS = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const FILES = ['README.md', 'CONTRIBUTING.md', ...DOCS]

describe('the documentation', () => {
  // After a change of server/env.ts or server/rest/errors.ts: npm run doc-tables
  it.each(Object.entries(TABLES))('%s lists what the code has', (file, table) => {
    expect(readFileSync(file, 'utf8')).toContain(table())
  })

  // After a change of server/providers/catalogue.ts, or of the results of the conformance suite: npm run doc-tables
  it('describes the providers as the catalogue does, and shows the results of the conformance suite', () => {
    const page = readFileSync(PROVIDERS_PAGE, 'utf8')
    for (const facts of providerFacts().values()) expect(page).toContain(facts)
    expect(readFileSync(CONFORMANCE_PAGE, 'utf8')).toBe(conformancePage())
  })

  // Of a new driver: CONFORMANCE=write npm test -- tests/conformance
  it('has results of the conformance suite for every provider that can be connected', () => {
    const kinds = PROVIDERS.flatMap(({ id, connect }) => (connect ? [id] : []))
    expect([...new Set(allResults().map(({ provider }) => provider))].sort()).toEqual(kinds.sort())
  })

  it('keeps what is around a table that is written again', () => {
    const table = '| Setting | Default |\n|---|---|\n| `A` | `1` |'
    expect(replaceTable('# A\n\n| Setting | Default |\n|---|---|\n| `B` |\n\nEnd\n', table)).toBe(
      `# A\n\n${table}\n\nEnd\n`,
    )
    expect(() => replaceTable('# A\n', table)).toThrow('no table')
  })

  it('shows the settings, the command to test and every page', () => {
    const readme = readFileSync('README.md', 'utf8')
    for (const file of ['CONTRIBUTING.md', 'CHANGELOG.md', ...DOCS]) expect(readme).toContain(`](${file})`)
    expect(readme).toContain('`npm test`')
    expect(readFileSync('.ci/run', 'utf8')).toMatch(/^npm test$/m)
  })

  it('has a picture that loads quickly', () => {
    const [, picture = ''] = /!\[[^\]]+\]\(([^)]+)\)/.exec(readFileSync('README.md', 'utf8')) ?? []
    expect(statSync(picture).size).toBeLessThan(200 * 1024)
  })

  it('shows lines of compose.yaml as they are', () => {
    const [, shown = ''] = /```yaml\n(.*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? []
    const lines = readFileSync('compose.yaml', 'utf8').split('\n')
    expect(
      shown
        .trim()
        .split('\n')
        .filter((line) => !lines.includes(line)),
    ).toEqual([])
    expect(shown).toContain('build: .')
  })
})

it('the commands of package.json are all explained in CONTRIBUTING.md', () => {
  const contributing = readFileSync('CONTRIBUTING.md', 'utf8')
  expect(Object.keys(scripts).filter((name) => !mentions(contributing, name))).toEqual([])
})

function mentions(text: string, script: string): boolean {
  return text.includes(`npm run ${script}`) || text.includes(`npm ${script}`)
}

describe.each(FILES)('%s', (file) => {
  const text = readFileSync(file, 'utf8')

  it('names only commands that exist', () => {
    const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1] ?? '')
    expect(commands.filter((command) => !(command in scripts))).toEqual([])
  })

  it('names only files and folders that exist', () => {
    const paths = [...text.matchAll(/`((?:server|web|tests|prisma|docs)\/[\w./-]+)`/g)].map((match) => match[1] ?? '')
    expect(paths.filter((path) => !existsSync(path))).toEqual([])
  })

  it('links only to pages and headings that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map((match) => match[1] ?? '')
    expect(links.filter((link) => !leadsSomewhere(file, link))).toEqual([])
  })
})

it('names commands and paths at all', () => {
  const all = FILES.map((file) => readFileSync(file, 'utf8')).join('\n')
  expect(all.match(/npm run [\w:-]+/g)?.length).toBeGreaterThan(20)
  expect(all.match(/`(?:server|web|tests|prisma)\/[\w./-]+`/g)?.length).toBeGreaterThan(30)
})

function leadsSomewhere(file: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? file : join(dirname(file), path)
  if (!existsSync(target)) return false
  return heading === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(heading)
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}
