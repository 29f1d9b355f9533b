import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { canInstall, unpackPackages } from './apt.mjs'

export const PROMETHEUS_FOLDER = '.cache/prometheus'

/**
 * Unpacks Debian's Prometheus where possible, which scrapes a server in the tests and answers the queries of the dashboard and of
 * the alert rules. Without it, those tests are skipped with a note, so failing to get it is no error.
 */
export async function unpackPrometheus() {
  if (existsSync(PROMETHEUS_FOLDER) || !canInstall()) return
  console.log('Getting Prometheus, which verifies the metrics')
  await unpackPackages(['prometheus'], PROMETHEUS_FOLDER).catch((error) => console.warn(error.message))
  // Its web pages are links to scripts elsewhere, which the compiler of queries would try to read.
  rmSync(join(PROMETHEUS_FOLDER, 'usr/share'), { recursive: true, force: true })
}
