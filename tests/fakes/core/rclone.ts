import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TlsProxy } from './tlsProxy.ts'

const RCLONE = '/usr/bin/rclone'

/** Debian's rclone, which knows the real services and nothing of emulators. */
export type Rclone = {
  /** For files to copy; removed on close. */
  readonly folder: string
  /** Its output. Throws with what it complains about when it fails. */
  run(...options: string[]): Promise<string>
  /** A command that goes on until it is stopped, and what it has reported so far. */
  follow(...options: string[]): { readonly reported: () => string; stop(): Promise<void> }
  close(): void
}

export const isRcloneThere = (): boolean => existsSync(RCLONE)

/** One remote of these settings, to be named `remote:`, reached through the proxy. */
export function createRclone(proxy: TlsProxy, settings: Readonly<Record<string, string>>): Rclone {
  const folder = mkdtempSync(join(tmpdir(), 'skypool-rclone-'))
  const config = join(folder, 'rclone.conf')
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  writeFileSync(config, `[remote]\n${lines.join('')}`)
  const common = ['--config', config, '--ca-cert', proxy.caFile, '--retries', '1', '--low-level-retries', '5']
  // Its client that waits for changes of Dropbox does not know the option above.
  const env = { HTTPS_PROXY: proxy.url, SSL_CERT_FILE: proxy.caFile, HOME: folder, PATH: process.env.PATH }
  return {
    folder,
    async run(...options) {
      const { stdout } = await promisify(execFile)(RCLONE, [...common, ...options], {
        env,
        maxBuffer: 64 * 1024 * 1024,
      })
      return stdout
    },
    follow(...options) {
      const child = spawn(RCLONE, [...common, ...options], { env, stdio: ['ignore', 'ignore', 'pipe'] })
      let reported = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        reported += text
      })
      return {
        reported: () => reported,
        async stop() {
          if (child.exitCode !== null || child.signalCode !== null) return
          child.kill('SIGKILL')
          await once(child, 'close')
        },
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
