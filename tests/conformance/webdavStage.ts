import { afterAll } from 'vitest'
import type { Credentials, Driver } from '../../server/providers/driver.ts'
import { createHostGuard } from '../../server/providers/shared/hostGuard.ts'
import { webdavModule } from '../../server/providers/webdav/module.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { DAV_LOGIN, DAV_SERVERS, type DavServer } from '../fakes/dav/servers.ts'
import { createUpstream } from '../fakes/dav/upstream.ts'
import { PAGE } from './emulated.ts'

export const CHUNK = 64 * 1024

export type DavStage = {
  readonly emulators: Emulators
  /** The folder on the server's disk. */
  readonly disk: string
  readonly credentials: Credentials
  open(): Driver
}

const running = new Map<string, Promise<DavServer>>()

/** A new folder at a real server, started once per file of tests, with the emulators' faults before it. */
export async function davStage(name: keyof typeof DAV_SERVERS): Promise<DavStage> {
  const starting = running.get(name) ?? DAV_SERVERS[name]()
  running.set(name, starting)
  const server = await starting
  const { disk, path } = server.newFolder()
  const emulators = await startEmulators({ services: [createUpstream(server.port)] })
  const { open } = webdavModule({
    guard: createHostGuard(['127.0.0.1']),
    limits: { chunkBytes: CHUNK, pageSize: PAGE },
  })
  const credentials = { expiresAt: null, root: `${emulators.url}${path}`, ...DAV_LOGIN, subject: 'ann' }
  return { emulators, disk, credentials, open: () => open(credentials) }
}

/** To be called by each file that uses a stage. */
export function closeServersAfterAll(): void {
  afterAll(async () => {
    // The next file of the same worker finds this module as this one leaves it.
    const servers = [...running.values()]
    running.clear()
    for (const server of servers) await (await server).close()
  })
}
