import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

const READY_LIMIT_MS = 60_000

/** A program of ours, its errors shown and, where LOG_LEVEL is set, its log, on top of this process's environment. */
export function startProcess([command, ...args]: readonly [string, ...string[]], env: Record<string, string>) {
  const log = process.env.LOG_LEVEL ? 'inherit' : 'ignore'
  const child = spawn(command, args, { stdio: ['ignore', log, 'inherit'], env: { ...process.env, ...env } })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  return {
    exited,
    /** Resolves once the address answers with success. @throws Error when the program ends or a minute has passed */
    async answers(url: string): Promise<void> {
      for (const deadline = Date.now() + READY_LIMIT_MS; Date.now() < deadline; ) {
        if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}.`)
        if ((await fetch(url).catch(() => undefined))?.ok) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error(`${url} did not answer.`)
    },
    async stop(): Promise<void> {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await exited
    },
  }
}

/** The wanted port of loopback, or any other when it is taken. */
export async function freePort(wanted: number): Promise<number> {
  for (const port of [wanted, 0]) {
    const server = createServer()
    const found = await new Promise<number | null>((resolve) => {
      server.on('error', () => resolve(null))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        resolve(address !== null && typeof address === 'object' ? address.port : null)
      })
    })
    server.close()
    if (found !== null) return found
  }
  throw new Error('There is no free port.')
}
