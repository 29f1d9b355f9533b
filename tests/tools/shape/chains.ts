import { createHook, executionAsyncId } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { OutgoingMessage, ServerResponse } from 'node:http'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/** What a walk reaches: an SQL statement, the file system, a request to a provider or bytes of it, the answer to the client. */
export type EndKind = 'sql' | 'storage' | 'provider' | 'answer'

/**
 * How one end was reached: the files of the functions that were running, the innermost first, then of those that were running when that
 * was begun asynchronously, and so on.
 */
export type Chain = { readonly kind: EndKind; readonly files: readonly string[] }

export type Chains = {
  /** The chains of all ends that are reached during `walk`. */
  chainsOf(walk: () => Promise<void>): Promise<Chain[]>
  /** Ends the recording. */
  stop(): void
}

/** The files of functions that were running when something asynchronous was begun, and what had begun those. */
type Origin = { readonly files: readonly string[]; readonly before: Origin | undefined }

/** Resources of file system calls that do not block. */
const FILE_CALLS: ReadonlySet<string> = new Set(['FSREQCALLBACK', 'FSREQPROMISE'])

/**
 * Records who calls whom in this process, across everything asynchronous: each promise, timer, tick, stream callback and system call
 * remembers the functions under which it was begun. (V8's own asynchronous stacks follow `await` only, and end at callbacks, streams,
 * timers and `then`.) Not followed: a queue in the database, and a listener that is called for an event of other work.
 */
export function startChains(): Chains {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = Number.POSITIVE_INFINITY
  const origins = new Map<number, Origin>()
  let found: Chain[] | null = null

  function originHere(): Origin | undefined {
    const files = runningFiles()
    const before = origins.get(executionAsyncId())
    return files.length === 0 ? before : { files, before }
  }

  function reach(kind: EndKind): void {
    if (!found) return
    const files: string[] = []
    for (let at = originHere(); at; at = at.before) files.push(...at.files)
    found.push({ kind, files })
  }

  const hook = createHook({
    init(id, type) {
      if (FILE_CALLS.has(type)) reach('storage')
      const origin = originHere()
      if (origin) origins.set(id, origin)
    },
    destroy: (id) => void origins.delete(id),
  }).enable()
  const isAnswer = (message: unknown) => message instanceof ServerResponse
  const restore = [
    ...[pg.Pool.prototype, pg.Client.prototype].map((pool) => before(pool, 'query', () => reach('sql'))),
    ...(['write', 'end'] as const).map((name) =>
      before(OutgoingMessage.prototype, name, (message) => reach(isAnswer(message) ? 'answer' : 'provider')),
    ),
  ]

  return {
    async chainsOf(walk) {
      found = []
      await walk()
      const chains = found
      found = null
      return chains
    },
    stop() {
      hook.disable()
      for (const put of restore) put()
      Error.stackTraceLimit = stackTraceLimit
    },
  }
}

/** Calls `note` before each call of a method. @returns a function that ends this */
function before<Name extends string>(
  target: { [name in Name]: unknown },
  name: Name,
  note: (self: unknown) => void,
): () => void {
  const original = target[name]
  const noted = function (this: unknown, ...args: unknown[]): unknown {
    note(this)
    return Reflect.apply(original as (...args: unknown[]) => unknown, this, args)
  }
  Object.assign(target, { [name]: noted })
  return () => void Object.assign(target, { [name]: original })
}

/** The files of the server's functions that are running now, the innermost first. */
function runningFiles(): string[] {
  const holder: { stack?: NodeJS.CallSite[] } = {}
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (_error, sites) => sites
  Error.captureStackTrace(holder, runningFiles)
  const sites = holder.stack ?? []
  Error.prepareStackTrace = prepareStackTrace
  // What awaits follows from the origins, step by step: here it would lead past the entry.
  return sites.flatMap((site) => (site.isAsync() ? [] : (serverPathOf(site.getFileName()) ?? [])))
}

/** From the project root; null for what is not a source of the server. */
export function serverPathOf(name: string | null | undefined): string | null {
  const path = name?.startsWith('file:') ? fileURLToPath(name.split('?')[0] ?? name) : name
  const source = path?.startsWith('/') ? relative('.', path) : ''
  return /^server\/(?!.*generated)/.test(source) ? source : null
}

export type Way = {
  /** The files between the entries and any end, with the entries. */
  readonly files: ReadonlySet<string>
  /** Those of the chain with the most files, from the entry on. */
  readonly longest: readonly string[]
}

/** The files on the way from `entries` to the ends. What has called an entry is left out, and so are chains that come from elsewhere. */
export function wayOf(chains: readonly Chain[], entries: readonly string[]): Way {
  const ways = chains.map(({ files }) => {
    const entry = files.findLastIndex((file) => entries.includes(file))
    return [...new Set(files.slice(0, entry + 1).toReversed())]
  })
  const longest = ways.reduce((most, way) => (way.length > most.length ? way : most), [])
  return { files: new Set(ways.flat()), longest }
}

/** A file of the web client on the way from a button to the commit of its mutation, and how it calls the next. */
export type Step = { readonly path: string; readonly calls: string }

/** From the button that moves the selected files to the trash. A module that only exports others is not met: editors jump over it. */
export const BUTTON_TO_COMMIT: readonly Step[] = [
  { path: 'web/screens/Files/selection/SelectionBar.tsx', calls: 'onClick={() => void actions.trash(ids)}' },
  { path: 'web/screens/Files/actions/useFileActions.ts', calls: '(await mutations()).trashFiles(environment, part)' },
  { path: 'web/features/FileChanges/trashFiles.ts', calls: 'await runMutation<trashFilesMutation>(' },
  { path: 'web/relay/runMutation.ts', calls: 'commitMutation<M>(environment' },
]

/** @throws Error when one does not call the next as it says: then there may be another file in between */
export function checkSteps(steps: readonly Step[]): void {
  for (const { path, calls } of steps) {
    if (!readFileSync(path, 'utf8').includes(calls)) throw new Error(`${path} does not contain "${calls}" any more.`)
  }
}
