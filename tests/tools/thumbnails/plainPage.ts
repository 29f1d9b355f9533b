import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { browserPath, FLAGS } from '../../e2e/support/browser.ts'

/** An event of Chromium's tracing, as in "Trace Event Format". */
export type TraceEvent = {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds. */
  readonly ts: number
  /** Processor time, microseconds. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

export type PlainPage = {
  goto(url: string): Promise<void>
  /** Runs a function in the page, which uses nothing from outside. Its result is JSON. */
  evaluate<Result, Argument>(run: (argument: Argument) => Result, argument?: Argument): Promise<Awaited<Result>>
  /** The events of these categories while `work` runs. */
  trace(categories: readonly string[], work: () => Promise<unknown>): Promise<TraceEvent[]>
  close(): Promise<void>
}

/**
 * A page in a new profile of Chromium, as a visitor has it. Playwright always records the network, for which Chromium copies the content
 * of each response when it is collected as garbage: pauses of the page that no visitor has.
 */
export async function openPlainPage(options: {
  readonly width: number
  readonly height: number
  readonly cookies: readonly { readonly name: string; readonly value: string; readonly url: string }[]
}): Promise<PlainPage> {
  const { width, height, cookies } = options
  const profile = mkdtempSync(join(tmpdir(), 'skypool-profile-'))
  const args = [...FLAGS, '--headless', '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank']
  const browser = spawn(browserPath(), args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
  const { send, next } = connect(browser)
  await send('Storage.setCookies', { cookies })
  const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank', width, height })
  const attached = await send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
  const { sessionId } = attached

  return {
    async goto(url) {
      await send('Page.enable', {}, sessionId)
      const loaded = next('Page.loadEventFired')
      await send('Page.navigate', { url }, sessionId)
      await loaded
      await send('Page.disable', {}, sessionId)
    },
    async evaluate(run, argument) {
      const expression = `(${run})(${JSON.stringify(argument) ?? ''})`
      const asked = { expression, awaitPromise: true, returnByValue: true }
      const answer = await send<Evaluated>('Runtime.evaluate', asked, sessionId)
      if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? expression)
      return answer.result.value as never
    },
    async trace(categories, work) {
      const traceConfig = { includedCategories: categories, excludedCategories: ['*'] }
      await send('Tracing.start', { traceConfig, transferMode: 'ReturnAsStream' })
      await work()
      const completed = next<{ stream: string }>('Tracing.tracingComplete')
      await send('Tracing.end', {})
      const { stream } = await completed
      const parts: string[] = []
      for (let isEnd = false; !isEnd; ) {
        const part = await send<{ data: string; eof: boolean }>('IO.read', { handle: stream })
        parts.push(part.data)
        isEnd = part.eof
      }
      return (JSON.parse(parts.join('')) as { traceEvents: TraceEvent[] }).traceEvents
    },
    async close() {
      const exited = new Promise((resolve) => browser.once('exit', resolve))
      browser.kill()
      await exited
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

type Evaluated = {
  readonly result: { readonly value?: unknown }
  readonly exceptionDetails?: { readonly exception?: { readonly description?: string } }
}

type Message = {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** The Chrome DevTools Protocol over file descriptors 3 and 4: JSON, each message followed by a zero byte. */
function connect(browser: ChildProcess) {
  const commands = browser.stdio[3] as Writable
  const answers = browser.stdio[4] as Readable
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>()
  const events = new Map<string, (params: never) => void>()
  let rest: Buffer[] = []
  let lastId = 0

  const receive = ({ id, method, params, result, error }: Message) => {
    if (method !== undefined) events.get(method)?.(params as never)
    const call = id === undefined ? undefined : waiting.get(id)
    if (id !== undefined) waiting.delete(id)
    if (error) call?.reject(new Error(error.message))
    else call?.resolve(result as never)
  }
  answers.on('data', (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const message = Buffer.concat([...rest, chunk.subarray(start, end)])
      rest = []
      start = end + 1
      receive(JSON.parse(message.toString()) as Message)
    }
    rest.push(chunk.subarray(start))
  })
  browser.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('The browser has exited.'))
  })

  return {
    send: <Result>(method: string, params: object, sessionId?: string) =>
      new Promise<Result>((resolve, reject) => {
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        commands.write(`${JSON.stringify({ id: lastId, method, params, sessionId })}\0`)
      }),
    /** The next event of this name. */
    next: <Params>(method: string) =>
      new Promise<Params>((resolve) => {
        events.set(method, resolve)
      }),
  }
}
