import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { type DAV_SERVERS, lacksServer } from '../fakes/dav/servers.ts'
import { describeDriver } from './driverSuite.ts'
import { emulatedHarness } from './emulated.ts'
import type { Harness } from './harness.ts'
import { WEBDAV, WEBDAV_SKIPS } from './webdavFacts.ts'
import { CHUNK, closeServersAfterAll, davStage } from './webdavStage.ts'

const OPERATIONS = { whole: 'MOVE', part: 'PUT', last: 'none', download: 'GET', remove: 'DELETE' }

closeServersAfterAll()

async function makeHarness(name: keyof typeof DAV_SERVERS): Promise<Harness> {
  const { emulators, disk, open } = await davStage(name)
  let lastTime = Date.now() / 1000
  return emulatedHarness({
    emulators,
    operations: OPERATIONS,
    chunkBytes: CHUNK,
    open,
    expireAccess: () => emulators.plan({ kind: 'expired', count: 0 }),
    fillQuota: () => emulators.plan({ kind: 'full', count: 0 }),
    overwrite(ref, text) {
      const file = join(disk, decodeURIComponent(ref))
      writeFileSync(file, text)
      // Servers see whole seconds.
      lastTime += 2
      utimesSync(file, lastTime, lastTime)
    },
    unfinished: () => readdirSync(disk).filter((file) => file.endsWith('.tmp')).length,
  })
}

for (const name of ['apache', 'nginx', 'rclone'] as const) {
  const missing = lacksServer(name)
  if (missing === null)
    describeDriver(`WebDAV at ${name}`, () => makeHarness(name), { facts: WEBDAV, skips: WEBDAV_SKIPS })
  else describe(`WebDAV at ${name}`, () => it.skip(missing))
}
