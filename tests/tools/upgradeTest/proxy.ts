import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runNginx } from '../../setup/balancer.ts'
import { freePort } from '../bench/references.ts'

/** `deploy/nginx.conf` with these servers, on loopback, and with its files in `dir`. */
export function configFor(dir: string, port: number, servers: readonly string[]): string {
  const [first = '', ...others] = servers
  return readFileSync('deploy/nginx.conf', 'utf8')
    .replace(/^worker_processes auto;/m, `${process.getuid?.() === 0 ? 'user root;\n' : ''}worker_processes 1;`)
    .replace(/^worker_rlimit_nofile \d+;/m, '')
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('server server1:3000', `server ${first}`)
    .replace(/^ *server server[23]:3000(.*)$/gm, (_line, rest: string) => {
      const server = others.shift()
      return server ? `    server ${server}${rest}` : ''
    })
    .replaceAll('/tmp/', `${dir}/`)
    .replaceAll(/\/dev\/std(?:out|err)/g, `${dir}/log`)
}

/** nginx as in `deploy`, in front of these addresses (`host:port`). */
export async function startProxy(
  servers: readonly string[],
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'skypool-nginx-'))
  const port = await freePort()
  const { child, close } = runNginx(dir, configFor(dir, port, servers))
  const url = `http://127.0.0.1:${port}`
  for (const until = Date.now() + 20_000; Date.now() < until && child.exitCode === null; await sleep(25)) {
    const answer = await fetch(`${url}/health`).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) break
  }
  return { url, close }
}
