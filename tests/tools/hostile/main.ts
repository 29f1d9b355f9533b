import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { attack } from './attack.ts'
import { tryNames } from './names.ts'
import { watchHealth } from './probe.ts'
import { attackRaw } from './raw.ts'
import { attackStalled } from './stalled.ts'
import { startTarget } from './target.ts'
import { makeTrouble } from './trouble.ts'

/**
 * `npm run hostile`: malformed requests to REST and GraphQL, generated from the server's own documentation, and unusual names, against
 * the built server. Exits with 1 on any 5xx, any leaked internals, any restart, or any name that is returned changed.
 * `--stalled`: clients that stop reading or sending. `--trouble`: full disks, a failing database (as root, on Linux).
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    stalled: { type: 'boolean', default: false },
    trouble: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
})

const dataDir = mkdtempSync(join(tmpdir(), 'skypool-hostile-'))
process.exitCode = (await run().finally(() => rmSync(dataDir, { recursive: true, force: true }))) ? 1 : 0

async function run(): Promise<boolean> {
  if (values.stalled) return report(await attackStalled(join(dataDir, 'data')))
  if (values.trouble) return report(await makeTrouble())
  const [count, seed] = [Number(values.count), Number(values.seed)]
  const target = await startTarget(join(dataDir, 'data'))
  try {
    const began = performance.now()
    const health = watchHealth(target.url)
    const { statuses, findings } = await attack({ url: target.url, count, seed })
    const raw = await attackRaw(target.url)
    const names = await tryNames(target.url)
    const healthy = await health.stop()
    const all = [...findings, ...raw.findings, ...names.findings, ...target.failures()]
    for (const finding of all) console.error(finding)
    const seconds = Math.round((performance.now() - began) / 1000)
    const summary = { seed, requests: count, raw: raw.sent, names: names.tried, seconds, statuses }
    console.log(JSON.stringify({ ...summary, health: healthy, findings: all.length, ended: target.hasEnded() }))
    return all.length > 0 || healthy.failed > 0 || target.hasEnded()
  } finally {
    await target.stop()
  }
}

/** @returns whether there is any */
function report(findings: readonly string[]): boolean {
  for (const finding of findings) console.error(finding)
  console.log(JSON.stringify({ findings: findings.length }))
  return findings.length > 0
}
