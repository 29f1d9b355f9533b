import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Reference = { readonly url: string; readonly pid: number; stop(): Promise<void> }

/** nginx with `root` served at / and written by PUT, temporary files on the same file system (a PUT is then a rename). */
export async function startNginx(dir: string, root: string): Promise<Reference> {
  const port = await freePort()
  for (const each of ['logs', 'tmp']) mkdirSync(join(dir, each), { recursive: true })
  const config = join(dir, 'nginx.conf')
  writeFileSync(config, nginxConfig(dir, root, port))
  const child = spawn('nginx', ['-p', dir, '-c', config, '-g', 'daemon off;'], { stdio: 'ignore' })
  return started(child, port)
}

function nginxConfig(dir: string, root: string, port: number): string {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(dir, 'tmp', kind)};`)
    .join('\n')
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 2; pid ${dir}/nginx.pid; error_log ${dir}/logs/error.log;
events { worker_connections 512; }
http {
  ${temp}
  access_log off; sendfile on; tcp_nopush on; client_max_body_size 0; keepalive_requests 1000000;
  server { listen 127.0.0.1:${port}; root ${root}; location / { dav_methods PUT; create_full_put_path on; } }
}
`
}

/**
 * One of the plain Node servers in the folder `reference`: `nodeStream.ts`, `tusFileStore.ts`, `yogaPg.ts`. With the variable
 * WORKERS above 1, so many processes serve its port.
 */
export async function startNodeReference(script: string, env: Record<string, string>): Promise<Reference> {
  const port = await freePort()
  const isForked = Number(env.WORKERS ?? 1) > 1
  const path = fileURLToPath(new URL(`./reference/${isForked ? 'forked.ts' : script}`, import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', path], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', PORT: String(port), REFERENCE: script, ...env },
  })
  return started(child, port)
}

async function started(child: ChildProcess, port: number): Promise<Reference> {
  const url = `http://127.0.0.1:${port}`
  await reachable(url, child)
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Resolves once anything answers at `url`; rejects when the process ends before that or after 20 s. */
export async function reachable(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 20_000
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode} before it listened`)
    const answered = await fetch(url).then(
      (response) => response.body?.cancel().then(() => true) ?? true,
      () => false,
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`nothing listens at ${url}`)
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
