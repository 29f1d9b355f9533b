import cluster, { type Worker } from 'node:cluster'
import { join } from 'node:path'
import { type Config, ConfigError, readConfig } from './env.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import { environmentFor, startDatabase } from './openDatabase.ts'

/** A server that ended is started again at once, and with doubling pauses while it keeps ending soon after its start. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** After this time a start counts as a success. */
const STEADY_MS = 60_000
/** Servers stop within 28 s (main.ts); the embedded database needs a moment after that. */
const STOP_LIMIT_MS = 28_500

type Processes = {
  /** Rejects when the servers could not be started at all. Their own output says why. */
  readonly failed: Promise<never>
  /** Asks all to stop, and resolves when they have ended. */
  stop(): Promise<void>
}

/**
 * Runs `count` servers behind one port. This process accepts the connections and gives them to the servers in turn, so that each gets
 * as many as the others on every system and version of Node. One server that ends leaves the others alone.
 */
function runServers(count: number, environment: Record<string, string>, logger: Logger): Processes {
  const running = new Set<Worker>()
  const timers = new Set<NodeJS.Timeout>()
  let stopping = false
  let hasListened = false
  let fail: (error: Error) => void = () => {}
  let ended = () => {}
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject
  })
  failed.catch(() => undefined)

  function start(failures: number): void {
    const startedAt = performance.now()
    const worker = cluster.fork(environment)
    keepConnection(worker)
    running.add(worker)
    worker.on('error', (err) => logger.error({ err, process: worker.process.pid }, 'A server cannot be reached'))
    worker.once('listening', () => {
      hasListened = true
    })
    worker.once('exit', (code, signal) => {
      running.delete(worker)
      if (stopping) return running.size === 0 ? ended() : undefined
      if (!hasListened && signal === null) return fail(new Error('The servers could not be started.'))
      const isSteady = performance.now() - startedAt > STEADY_MS
      restart(isSteady ? 0 : failures, { process: worker.process.pid, code, signal })
    })
  }

  function restart(failures: number, end: object): void {
    const pauseMs = failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
    logger.error({ ...end, pauseMs }, 'A server ended and is started again')
    const timer = setTimeout(() => {
      timers.delete(timer)
      start(failures + 1)
    }, pauseMs)
    timers.add(timer)
  }

  for (let index = 0; index < count; index += 1) start(0)
  return {
    failed,
    async stop() {
      stopping = true
      for (const timer of timers) clearTimeout(timer)
      if (running.size === 0) return
      const over = new Promise<void>((resolve) => {
        ended = resolve
      })
      for (const { process: child } of running) child.kill('SIGTERM')
      await over
    },
  }
}

type Sent = { readonly act?: string; readonly seq?: number }
type Answer = { readonly ack?: number }

/**
 * A connection that is on its way to a server that dies (there is at most one) would never get an answer: cluster waits for the server
 * to take it. It is given to another one, as if the server had refused it.
 */
function keepConnection({ process: child }: Worker): void {
  const send = child.send.bind(child) as (...given: readonly unknown[]) => boolean
  let waiting: number | undefined
  child.send = (...given: readonly unknown[]) => {
    const { act, seq } = given[0] as Sent
    if (act === 'newconn') waiting = seq
    return send(...given)
  }
  child.on('internalMessage', ({ ack }: Answer) => {
    if (ack === waiting) waiting = undefined
  })
  child.once('exit', () => {
    if (waiting !== undefined) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: waiting, accepted: false })
  })
}

/** Resolves at the first of these signals. Repeats are ignored: a terminal and npm both send one. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  })
}

async function supervise(config: Config, logger: Logger): Promise<void> {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'main.cjs') })
  cluster.schedulingPolicy = cluster.SCHED_RR
  const signalled = stopSignal()
  const postgres = await startDatabase(config, logger)
  const servers = runServers(config.workers, environmentFor(postgres?.connection ?? null), logger)
  const outcome = await Promise.race([signalled, servers.failed]).catch((error: Error) => error)
  if (outcome instanceof Error) logger.error(outcome.message)
  else logger.info({ signal: outcome, processes: config.workers }, 'Stopping')
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref()
  await servers.stop()
  await postgres?.stop()
  process.exit(outcome instanceof Error ? 1 : 0)
}

try {
  const config = readConfig()
  await supervise(config, createLogger(config.logLevel))
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
}
