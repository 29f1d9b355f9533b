import { execFile } from 'node:child_process'
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
  const env = { HTTPS_PROXY: proxy.url, HOME: folder, PATH: process.env.PATH }
  return {
    folder,
    async run(...options) {
      const { stdout } = await promisify(execFile)(RCLONE, [...common, ...options], {
        env,
        maxBuffer: 64 * 1024 * 1024,
      })
      return stdout
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
