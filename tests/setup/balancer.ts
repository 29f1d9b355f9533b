import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../tools/bench/references.ts'

/** Whether nginx is on this machine; without it, tests of several servers ask them in turn themselves. */
export const hasNginx = spawnSync('nginx', ['-v']).status === 0

export type Balancer = { readonly url: string; close(): Promise<void> }

export type BalancerOptions = {
  /** A request that a server does not even take, because it is not running, goes to the next one. */
  readonly passesOn?: boolean
}

/** nginx before these servers, which get one request after the other in turn; a request whose server dies is not sent again. */
export async function startBalancer(urls: readonly string[], options: BalancerOptions = {}): Promise<Balancer> {
  const dir = mkdtempSync(join(tmpdir(), 'skypool-nginx-'))
  mkdirSync(join(dir, 'logs'))
  const port = await freePort()
  const nginx = runNginx(dir, configOf(dir, port, urls, options))
  const url = `http://127.0.0.1:${port}`
  await answers(url)
  return { url, close: nginx.close }
}

/** nginx with this configuration. `dir`: for its files; it is removed at the end. */
export function runNginx(dir: string, config: string): { readonly child: ChildProcess; close(): Promise<void> } {
  const path = join(dir, 'nginx.conf')
  writeFileSync(path, config)
  const child = spawn('nginx', ['-p', dir, '-c', path, '-g', 'daemon off;'], { stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    child,
    async close() {
      if (child.exitCode === null) {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        await exited
      }
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function configOf(dir: string, port: number, urls: readonly string[], { passesOn = false }: BalancerOptions): string {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(dir, kind)};`)
    .join('\n  ')
  const servers = urls.map((url) => `server ${new URL(url).host} max_fails=0;`).join(' ')
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1; pid ${dir}/nginx.pid; error_log ${dir}/logs/error.log;
events { worker_connections 8192; }
http {
  ${temp}
  access_log off; client_max_body_size 0;
  upstream skypool { ${servers} }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://skypool;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Connection "";
      proxy_request_buffering off;
      proxy_buffering off;
      proxy_read_timeout 1h;
      proxy_next_upstream ${passesOn ? 'error' : 'off'};
    }
  }
}
`
}

async function answers(url: string): Promise<void> {
  for (const limit = Date.now() + 20_000; Date.now() < limit; await sleep(25)) {
    const answer = await fetch(url).catch(() => null)
    await answer?.body?.cancel()
    if (answer) return
  }
  throw new Error('nginx does not answer.')
}
