import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The host that the servers are reached by through the emulators: paths begin with it. */
export const DAV_HOST = 'dav.example'
export const DAV_LOGIN = { user: 'ann', password: 'a plank: with colon' } as const

/** A WebDAV server that others have written, on loopback. */
export type DavServer = {
  readonly port: number
  /** A new empty folder, as a path on the disk and in addresses. */
  newFolder(): { readonly disk: string; readonly path: string }
  close(): Promise<void>
}

const APACHE = '/usr/sbin/apache2'
const APACHE_MODULES = '/usr/lib/apache2/modules'
const NGINX = '/usr/sbin/nginx'
const NGINX_DAV = '/usr/lib/nginx/modules/ngx_http_dav_ext_module.so'
const RCLONE = '/usr/bin/rclone'

/** What is missing to start a server; null when nothing is. */
export function lacksServer(name: keyof typeof DAV_SERVERS): string | null {
  const files = { apache: [APACHE, `${APACHE_MODULES}/mod_dav.so`], nginx: [NGINX, NGINX_DAV], rclone: [RCLONE] }[name]
  const missing = files.filter((file) => !existsSync(file))
  return missing.length === 0
    ? null
    : `${missing.join(', ')} is not installed, and npm test installs it only as root on Debian.`
}

type Site = { readonly base: string; readonly port: number; readonly passwords: string }

export const DAV_SERVERS = {
  apache: () =>
    start(({ base, port, passwords }) => {
      const modules = ['mpm_event', 'authn_core', 'authn_file', 'authz_core', 'authz_user', 'auth_basic', 'mime', 'dir']
      const all = [...modules, 'dav', 'dav_fs'].map(
        (name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`,
      )
      const config = [
        ...[`ServerRoot ${base}`, 'ServerName localhost', `Listen 127.0.0.1:${port}`, `PidFile ${base}/run/pid`],
        ...[`Mutex file:${base}/run default`, ...all, 'TypesConfig /etc/mime.types', `ErrorLog ${base}/run/errors`],
        ...(process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : []),
        ...[`DavLockDB ${base}/run/locks`, `DocumentRoot ${base}/files`, `<Directory ${base}/files>`, 'Dav On'],
        ...['AuthType Basic', 'AuthName files', `AuthUserFile ${passwords}`, 'Require valid-user', '</Directory>'],
      ]
      writeFileSync(join(base, 'apache.conf'), `${config.join('\n')}\n`)
      return { command: APACHE, args: ['-DFOREGROUND', '-f', join(base, 'apache.conf')] }
    }),
  nginx: () =>
    start(({ base, port, passwords }) => {
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${base}/run/${name};`,
      )
      const config = `load_module ${NGINX_DAV};
        ${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid ${base}/run/pid; error_log ${base}/run/errors;
        events {}
        http { ${paths.join(' ')} access_log off; client_max_body_size 0; types { text/plain txt; }
          server { listen 127.0.0.1:${port}; root ${base}/files; auth_basic files; auth_basic_user_file ${passwords};
            location / { dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS; create_full_put_path on; } } }`
      writeFileSync(join(base, 'nginx.conf'), config)
      return { command: NGINX, args: ['-p', base, '-c', join(base, 'nginx.conf'), '-e', join(base, 'run/errors')] }
    }),
  rclone: () =>
    start(({ base, port, passwords }) => {
      const options = [
        '--addr',
        `127.0.0.1:${port}`,
        '--htpasswd',
        passwords,
        '--vfs-cache-mode',
        'off',
        '--dir-cache-time',
        '0s',
      ]
      return {
        command: RCLONE,
        args: ['serve', 'webdav', join(base, 'files'), ...options, '--config', join(base, 'none.conf')],
      }
    }),
}

async function start(configure: (site: Site) => { command: string; args: string[] }): Promise<DavServer> {
  const base = mkdtempSync(join(tmpdir(), 'skypool-dav-'))
  chmodSync(base, 0o755)
  const owner = ownerOfFiles()
  const makeFolder = (path: string): void => {
    mkdirSync(path, { recursive: true })
    if (owner !== null) chownSync(path, owner, owner)
  }
  for (const name of ['run', 'files', `files/@${DAV_HOST}`]) makeFolder(join(base, name))
  const passwords = join(base, 'passwords')
  const sum = createHash('sha1').update(DAV_LOGIN.password).digest('base64')
  writeFileSync(passwords, `${DAV_LOGIN.user}:{SHA}${sum}\n`)
  const port = await freePort()
  const { command, args } = configure({ base, port, passwords })
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000)
  })
  await untilReached(port, child, () => said)
  let folders = 0
  return {
    port,
    newFolder() {
      folders += 1
      const path = `/@${DAV_HOST}/folder ${folders}/`
      makeFolder(join(base, 'files', path))
      return { disk: join(base, 'files', path), path }
    },
    async close() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** Apache does not run as root: its files belong to www-data then. */
function ownerOfFiles(): number | null {
  if (process.getuid?.() !== 0 || !existsSync('/etc/passwd')) return null
  const uid = /^www-data:[^:]*:(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[1]
  return uid === undefined ? null : Number(uid)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Waits until `child` accepts connections. @throws Error with what it `said` when it ended */
export async function untilReached(port: number, child: ChildProcess, said: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`It did not start: ${said()}`)
    const socket = connect({ host: '127.0.0.1', port })
    const isReached = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isReached) return
    await sleep(50)
  }
}
