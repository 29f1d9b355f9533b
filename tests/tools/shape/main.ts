import { parseArgs } from 'node:util'
import { BUTTON_TO_COMMIT, type Chain, type Chains, checkSteps, type EndKind, startChains, wayOf } from './chains.ts'
import { type Coverage, startCoverage } from './coverage.ts'
import { columns, shapeOf } from './tables.ts'
import { openWorld, type Prepare, type Walk } from './walks.ts'

/**
 * `npm run shape`: size and depth of the code, and how many files of the server belong to an upload, a download, a transfer and a
 * change. `--list` names the files. In each of several rounds, which excludes background work,
 * - a file takes part when one of its named functions is called. "beyond" leaves out those that serve every authenticated request.
 * - a file is on the way when one of its functions is between the entry (route handler, job, resolver) and an end: an SQL statement,
 *   the file system, a request to the provider, the answer. That is what a reader meets who follows the calls. What has returned before
 *   an end is reached (checks, names, the choice of a place) only takes part. Then the same for the ends of each kind, and "chain" is
 *   the chain with the most files.
 */
const { values } = parseArgs({ options: { list: { type: 'boolean', default: false } } })
const FOLDERS = ['server', 'server/domain', 'server/scripts', 'web', 'web/screens/Files', 'tests/tools']
const ROUNDS = 3
const KINDS: readonly EndKind[] = ['sql', 'storage', 'provider', 'answer']

const head = ['folder', 'files', 'lines', 'median', 'p90', 'longest file', 'longest function', 'depth']
const shapes = FOLDERS.map((folder) => Object.values(shapeOf(folder)))
console.log(columns([head, ...shapes]))

checkSteps(BUTTON_TO_COMMIT)
const world = await openWorld()
const coverage = await startCoverage()
const [profile = [], changes = []] = await eachOf(world.reads, (read) => commonOf(coverage, read))
const every = profile.filter((file) => changes.includes(file))
const parts = await eachOf(world.walks, ({ prepare }) => commonOf(coverage, prepare))
// Last: what it records makes everything slower.
const chains = startChains()
const ways = await eachOf(world.walks, (walk) => wayIn(chains, walk))
chains.stop()
await world.close()

const names = world.walks.map(({ name }) => name)
const partRows = parts.map((files, index) => {
  const beyond = files.filter((file) => !every.includes(file))
  return [names[index] ?? '', files.length, files.filter(isOfDomain).length, beyond.length]
})
const everyRow = ['every authenticated request', every.length, every.filter(isOfDomain).length, 0]
console.log(`\n${columns([['files that take part in', 'server', 'domain', 'beyond'], everyRow, ...partRows])}`)
const wayRows = ways.map(({ files, to, longest }, index) => {
  const inDomain = files.filter(isOfDomain).length
  return [names[index] ?? '', files.length, inDomain, ...KINDS.map((kind) => to(kind).length), longest.length]
})
console.log(`\n${columns([['files on the way of', 'server', 'domain', ...KINDS, 'chain'], ...wayRows])}`)
console.log(`from the button to the commit of its mutation: ${BUTTON_TO_COMMIT.length} files of web`)
if (values.list) {
  print('every authenticated request', every)
  for (const [index, files] of parts.entries()) print(`takes part in ${names[index]}`, files.map(marked))
  for (const [index, { files, longest }] of ways.entries()) {
    print(`on the way of ${names[index]}`, files)
    print('its longest chain', longest)
  }
  print(
    'from the button to the commit of its mutation',
    BUTTON_TO_COMMIT.map(({ path }) => path),
  )
}
process.exit(0)

function print(title: string, files: readonly string[]): void {
  console.log(`\n${title}\n  ${files.join('\n  ')}`)
}

/** Files that serve every authenticated request are in parentheses. */
function marked(path: string): string {
  return every.includes(path) ? `(${path})` : path
}

function isOfDomain(path: string): boolean {
  return path.startsWith('server/domain/')
}

/** One after the other. */
async function eachOf<Item, Result>(
  items: readonly Item[],
  measure: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await measure(item))
  return results
}

/** The files called in every round, sorted by path. */
function commonOf(coverage: Coverage, prepare: Prepare): Promise<string[]> {
  return commonIn(prepare, (go) => coverage.filesOf(go))
}

/** The files on the way in every round, sorted by path; those to ends of one kind; and the longest chain of all. */
async function wayIn(chains: Chains, { prepare, entries }: Walk) {
  const rounds: Chain[][] = []
  const files = await commonIn(prepare, async (go) => {
    const found = await chains.chainsOf(go)
    rounds.push(found)
    return wayOf(found, entries).files
  })
  const to = (kind: EndKind) => {
    const ways = rounds.map(
      (found) =>
        wayOf(
          found.filter((chain) => chain.kind === kind),
          entries,
        ).files,
    )
    return files.filter((file) => ways.every((way) => way.has(file)))
  }
  return { files, to, longest: wayOf(rounds.flat(), entries).longest }
}

async function commonIn(
  prepare: Prepare,
  filesOf: (go: () => Promise<void>) => Promise<ReadonlySet<string>>,
): Promise<string[]> {
  let common: string[] | null = null
  for (let round = 0; round < ROUNDS; round += 1) {
    const { go } = await prepare()
    const files = await filesOf(go)
    common = common === null ? [...files].sort() : common.filter((file) => files.has(file))
  }
  return common ?? []
}
