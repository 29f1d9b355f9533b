import { createHostGuard } from '../../server/providers/shared/hostGuard.ts'
import { webdavModule } from '../../server/providers/webdav/module.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createNextcloud, NEXTCLOUD_HOST } from '../fakes/nextcloud/nextcloud.ts'
import { describeDriver } from './driverSuite.ts'
import { emulatedHarness, PAGE } from './emulated.ts'
import type { Harness } from './harness.ts'
import { WEBDAV, WEBDAV_SKIPS } from './webdavFacts.ts'

const CHUNK = 64 * 1024
const LOGIN = { user: 'ann', password: 'abcde-fghij-klmno' }
const OPERATIONS = {
  whole: 'files.MOVE',
  part: 'uploads.PUT',
  last: 'none',
  download: 'files.GET',
  remove: 'files.DELETE',
}
const PLAIN_ONLY = new Set([
  'continues an upload in another process, from what was confirmed',
  'starts over when its session was abandoned',
  'keeps a session that a second cut interrupts',
  'saves its session before it sends',
])

async function makeHarness(): Promise<Harness> {
  const nextcloud = createNextcloud()
  const emulators = await startEmulators({ services: [nextcloud] })
  const { addUser, setPassword, setQuota, overwrite, objects } = nextcloud.commands
  addUser({ id: 'ann', appPassword: LOGIN.password })
  const { signIn, open } = webdavModule({
    guard: createHostGuard(['127.0.0.1']),
    limits: { chunkBytes: CHUNK, pageSize: PAGE },
  })
  if (signIn.by !== 'FORM') throw new Error('It has no form.')
  const address = `${emulators.url}/@${NEXTCLOUD_HOST}`
  const call = { signal: new AbortController().signal, requestId: 'conformance' }
  const credentials = await signIn.form.exchange(call, { address, ...LOGIN })
  emulators.resetLog()
  return emulatedHarness({
    emulators,
    operations: OPERATIONS,
    chunkBytes: CHUNK,
    open: () => open(credentials),
    expireAccess: () => setPassword({ id: 'ann', appPassword: 'another' }),
    fillQuota: () => setQuota({ id: 'ann', quotaBytes: 0 }),
    overwrite: (ref, text) => overwrite({ id: 'ann', path: decodeURIComponent(ref).slice(1), text }),
    unfinished: () => objects({ id: 'ann' }).filter(({ path }) => /^uploads\/ann\/|\.tmp$/.test(path)).length,
  })
}

describeDriver('Nextcloud by WebDAV', makeHarness, {
  facts: { ...WEBDAV, capabilities: { ...WEBDAV.capabilities, resumable: true } },
  skips: Object.fromEntries(Object.entries(WEBDAV_SKIPS).filter(([name]) => !PLAIN_ONLY.has(name))),
})
