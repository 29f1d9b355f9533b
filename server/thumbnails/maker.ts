import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { availableParallelism, setPriority } from 'node:os'
import { addAbortSignal, type Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** What is drawn: a picture, the first page of a document, or its beginning. TEXT: text, of which the beginning is enough. */
export type ThumbnailKind = 'IMAGE' | 'PDF' | 'TEXT' | 'OFFICE'

export type ThumbnailJob = {
  readonly kind: ThumbnailKind
  /** At least one byte. */
  readonly source: { readonly size: number; read(start: number, end: number): Readable }
  /** The longest side of each thumbnail in pixels, largest first. */
  readonly sides: readonly number[]
}

/** About an image. */
export type MadeFacts = {
  /** Pixels of the upright picture. */
  readonly width: number
  readonly height: number
  /** ISO 8601, by the camera's clock as if that were UTC; null: not known. */
  readonly takenAt: string | null
}

/**
 * Why there is no result. BROKEN: the content is not what it should be. STOPPED: it took too long or too much memory, or ended the
 * process. UNREAD: nothing is known about the content, because it arrived too slowly or the maker was closed.
 */
export type Failure = { readonly failure: 'BROKEN' | 'STOPPED' | 'UNREAD'; readonly reason: string }

/** WebP pictures, one for each of `sides`; or what to write on one, as the process read it. */
export type MadeThumbnails =
  | { readonly pictures: readonly Buffer[]; readonly facts: MadeFacts | null }
  | { readonly excerpt: unknown }
  | Failure

/** PLAIN: text, of which the beginning is enough. OFFICE: Word, Excel, PowerPoint, OpenDocument and books (EPUB). */
export type TextFormat = 'PLAIN' | 'PDF' | 'OFFICE'

export type TextJob = {
  readonly format: TextFormat
  /** At least one byte. */
  readonly source: ThumbnailJob['source']
  /** Characters (UTF-16 code units) after which the rest is left out. */
  readonly limit: number
}

/** In NFC, with single spaces and without control characters. */
export type ExtractedText = { readonly text: string } | Failure

export type ThumbnailMaker = {
  /** Jobs that run at once; the caller queues the others. */
  readonly limit: number
  /** Never throws because of the content. @throws what reading the source throws */
  make(job: ThumbnailJob): Promise<MadeThumbnails>
  /** The text of a document; empty: it has none. As `make` otherwise. */
  extract(job: TextJob): Promise<ExtractedText>
  /** Process ids of the workers. */
  readonly pids: () => readonly number[]
  /** Ends all workers, and active jobs with UNREAD. */
  close(): void
}

export type MakerOptions = {
  readonly limit?: number
  /** Processor time of a job on Linux, elsewhere the time since all its bytes were sent: a busy machine is no fault of the content. */
  readonly deadlineMs?: number
  /** For reading the bytes of a job. */
  readonly inputMs?: number
  /** Resident memory of a worker; checked on Linux only. */
  readonly maxBytes?: number
  /** A worker without a job ends after this time: it holds about 70 MB. */
  readonly idleMs?: number
}

const IS_LINUX = process.platform === 'linux'
const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url))
const CHECK_MS = 50
/** How much longer than its processor time a job may take: it waits for other processes. */
const WAITING_FACTOR = 12
/** Of processor time in /proc; the same on every Linux that Node supports. */
const TICKS_PER_SECOND = 100
/** Requests come first. */
const PRIORITY = 10

const CLOSED = { failure: 'UNREAD', reason: 'The server is stopping.' } as const

type Worker = { readonly child: ChildProcess; idle: NodeJS.Timeout | undefined }

/**
 * Makes thumbnails and extracts text in separate processes. Decoders run on content that users have chosen, so a process receives nothing but those
 * bytes, and is killed when it is late or takes too much memory: libvips cannot be interrupted reliably from within.
 */
export function createThumbnailMaker(options: MakerOptions = {}): ThumbnailMaker {
  const { limit = availableParallelism(), deadlineMs = 10_000, inputMs = 30_000, idleMs = 30_000 } = options
  const { maxBytes = 512 * 1024 * 1024 } = options
  const workers = new Set<Worker>()
  const idle: Worker[] = []
  const closing = new AbortController()

  function take(): Worker {
    const worker = idle.pop() ?? start()
    clearTimeout(worker.idle)
    return worker
  }

  function start(): Worker {
    const worker: Worker = { child: forkWorker(), idle: undefined }
    workers.add(worker)
    worker.child.once('exit', () => forget(worker))
    return worker
  }

  function forget(worker: Worker): void {
    clearTimeout(worker.idle)
    workers.delete(worker)
    const at = idle.indexOf(worker)
    if (at >= 0) idle.splice(at, 1)
  }

  function end(worker: Worker): void {
    forget(worker)
    worker.child.kill('SIGKILL')
  }

  function giveBack(worker: Worker): void {
    worker.idle = setTimeout(() => end(worker), idleMs).unref()
    idle.push(worker)
  }

  async function work(job: Job): Promise<Result | Failure> {
    if (closing.signal.aborted) return CLOSED
    const worker = take()
    const run = await runJob(worker.child, job, { deadlineMs, inputMs, maxBytes, closing: closing.signal }).catch(
      (error: unknown) => {
        // Part of the bytes may be in the pipe: the process cannot be used again.
        end(worker)
        throw error
      },
    )
    if ('failure' in run && run.failure !== 'BROKEN') end(worker)
    else giveBack(worker)
    return run
  }

  return {
    limit,
    pids: () => [...workers].flatMap(({ child }) => child.pid ?? []),
    async make({ source, ...task }) {
      const made = await work({ source, task })
      if ('failure' in made) return made
      if (made.excerpt !== undefined) return { excerpt: made.excerpt }
      const { pictures = [], facts = null } = made
      return { pictures: pictures.map((bytes) => Buffer.from(bytes)), facts }
    },
    async extract({ source, ...task }) {
      const made = await work({ source, task })
      return 'failure' in made ? made : { text: made.text ?? '' }
    },
    close() {
      closing.abort()
      for (const worker of [...workers]) end(worker)
    },
  }
}

/** With nothing of this server's environment, which contains secrets. */
function forkWorker(): ChildProcess {
  const { SystemRoot } = process.env
  const child = fork(WORKER, [], {
    env: {
      UV_THREADPOOL_SIZE: '2',
      VIPS_CONCURRENCY: '1',
      MALLOC_ARENA_MAX: '2',
      ...(SystemRoot !== undefined && { SystemRoot }),
    },
    execArgv: ['--max-old-space-size=256'],
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  })
  // Its exit is what counts; without listeners these errors would end the server.
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  try {
    if (child.pid !== undefined) setPriority(child.pid, PRIORITY)
  } catch {
    // Not possible on this system.
  }
  return child
}

type Limits = Required<Pick<MakerOptions, 'deadlineMs' | 'inputMs' | 'maxBytes'>> & { readonly closing: AbortSignal }

/** `task`: the message to the process, to which the number of bytes is added. */
type Job = { readonly source: ThumbnailJob['source']; readonly task: Omit<ThumbnailJob | TextJob, 'source'> }

type Result = {
  readonly pictures?: readonly Uint8Array[]
  readonly facts?: MadeFacts | null
  readonly excerpt?: unknown
  readonly text?: string
}

type Message = Result & { readonly broken?: string }

/** One job from its message to its response. The worker may be used again after a result and BROKEN only. */
async function runJob(child: ChildProcess, { source, task }: Job, limits: Limits): Promise<Result | Failure> {
  const ended = new AbortController()
  const { promise, resolve, reject } = settleable<Result | Failure>()
  const stop = (reason: string) => resolve({ failure: 'STOPPED', reason })

  const onMessage = ({ broken, ...result }: Message): void =>
    resolve(broken === undefined ? result : { failure: 'BROKEN', reason: broken })
  const onExit = (code: number | null, signal: string | null) => stop(`The process ended (${signal ?? code}).`)
  const onClosing = () => resolve(CLOSED)

  child.on('message', onMessage)
  child.once('exit', onExit)
  limits.closing.addEventListener('abort', onClosing)
  const tooSlow = () => resolve({ failure: 'UNREAD', reason: 'The content arrives too slowly.' })
  let timer = setTimeout(tooSlow, limits.inputMs)
  const tooLong = () => stop('It took too long.')
  const watch = watchProcess(child, {
    memory: [limits.maxBytes, () => stop('It took too much memory.')],
    processor: [limits.deadlineMs, tooLong],
  })
  try {
    child.send({ ...task, size: source.size }, () => undefined)
    sendBytes(child, source, ended.signal).then(
      () => {
        clearTimeout(timer)
        if (!ended.signal.aborted) timer = setTimeout(tooLong, limits.deadlineMs * (IS_LINUX ? WAITING_FACTOR : 1))
      },
      (error: unknown) => reject(error),
    )
    return await promise
  } finally {
    ended.abort()
    clearTimeout(timer)
    clearInterval(watch)
    child.off('message', onMessage)
    child.off('exit', onExit)
    limits.closing.removeEventListener('abort', onClosing)
  }
}

function settleable<Value>() {
  let resolve: (value: Value) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}

/**
 * Waits for the process to take them, so that only a few chunks are in memory here. Ends quietly when `signal` aborts or the process has
 * ended, whose exit follows. @throws what reading throws
 */
async function sendBytes({ stdin }: ChildProcess, source: ThumbnailJob['source'], signal: AbortSignal): Promise<void> {
  if (!stdin) return
  const stream = addAbortSignal(signal, source.read(0, source.size - 1))
  try {
    for await (const chunk of stream) {
      if (!stdin.write(chunk)) await once(stdin, 'drain', { signal })
    }
  } catch (error) {
    if (!signal.aborted && !stdin.destroyed) throw error
  }
}

type Bound = readonly [most: number, onExceeded: () => void]

/**
 * Resident memory in bytes, and processor time in ms since this call; on Linux only. The operating system's own limits would count
 * address space, of which libvips and WebAssembly reserve much, and the time of earlier jobs.
 */
function watchProcess({ pid }: ChildProcess, { memory, processor }: Record<'memory' | 'processor', Bound>) {
  let before: number | null = null
  return setInterval(() => {
    Promise.all([readFile(`/proc/${pid}/status`, 'latin1'), readFile(`/proc/${pid}/stat`, 'latin1')]).then(
      ([status, stat]) => {
        const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
        if (Number(kilobytes ?? 0) * 1024 > memory[0]) memory[1]()
        const spent = processorTime(stat)
        before ??= spent
        if (spent - before > processor[0]) processor[1]()
      },
      () => undefined,
    )
  }, CHECK_MS).unref()
}

/** In ms, of all threads (proc(5): utime and stime, fields 14 and 15; the second field is the name in parentheses). */
function processorTime(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}
