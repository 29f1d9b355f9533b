import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { createSftpAccount, SMALL } from '../fakes/sftp/account.ts'
import { type Sshd, startSshd, whyNoSshd } from '../fakes/sftp/sshd.ts'
import type { TcpProxy } from '../fakes/sftp/tcpProxy.ts'
import { SFTP } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { type FaultKind, type Harness, NO_THUMBNAILS, type ServiceFault } from './harness.ts'

const CHUNK = 512 * 1024
/** A proxy cuts the connection; what is stored and answered is changed by the SFTP server. */
const FAULTS: readonly FaultKind[] = [
  'serverError',
  'reset',
  'cutUp',
  'cutDown',
  'shortBody',
  'lostReply',
  'truncate',
  'vanish',
]

const missing = whyNoSshd()
let sshd: Sshd
beforeAll(async () => {
  if (missing === null) sshd = await startSshd()
})
afterAll(() => sshd?.close())

async function harness(): Promise<Harness> {
  const { folder, privateKey, proxy, open, close } = await createSftpAccount(sshd)
  const sent = join(sshd.faults, 'sent')
  return {
    driver: open(),
    reopen: open,
    chunkBytes: CHUNK,
    manyEntries: 2 * SMALL.pageSize + 5,
    keepsNames: true,
    keepsHash: false,
    faults: new Set(FAULTS),
    plan: (fault) => plan(proxy, fault),
    keepPart: (missing, then) =>
      writeFileSync(join(sshd.faults, 'plan.json'), JSON.stringify({ kind: 'keepPart', missing, then })),
    async expireAccess() {
      sshd.removeKey(privateKey)
      await proxy.end()
    },
    fillQuota: async () => void (await sshd.run(`cat /dev/zero > '${sshd.home}/filler' || true`)),
    overwrite: async (ref, text) =>
      void (await sshd.run(`printf %s '${text}' > '${folder}/${ref}' && touch -d '5 seconds' '${folder}/${ref}'`)),
    unfinished: async () => Number(await sshd.run(`ls -A '${folder}' | grep -c '^[.]skypool-' || true`)),
    receivedBytes: () => {
      if (!existsSync(sent)) return 0
      return readFileSync(sent, 'utf8')
        .split('\n')
        .reduce((sum, line) => sum + Number(line), 0)
    },
    async close() {
      await close()
      await sshd.run(`rm -f '${sshd.home}/filler'`)
    },
  }
}

function plan(proxy: TcpProxy, fault: ServiceFault): void {
  if (fault.kind === 'reset') proxy.cutAfter('client', 0)
  else if (fault.kind === 'cutUp') proxy.cutAfter('client', fault.afterBytes)
  else if (fault.kind === 'cutDown') proxy.cutAfter('server', fault.afterBytes)
  else writeFileSync(join(sshd.faults, 'plan.json'), JSON.stringify(fault))
}

const NO_FEED = 'SFTP has no feed of changes.'
const NO_TRASH = 'Servers have no trash.'
const NO_LINKS = 'Servers have no public links.'

describe.skipIf(missing !== null)(missing ?? 'OpenSSH', () => {
  describeDriver('SFTP', harness, {
    facts: SFTP,
    skips: {
      ...NO_THUMBNAILS,
      'exports a document in the types that it names, and in no other': 'All files have bytes.',
      'says the hash of what is there': 'SFTP has no hashes.',
      'lists nothing that was deleted or is in the trash': NO_TRASH,
      'moves to the trash and restores, also without the folder': NO_TRASH,
      'reports as changes what changed during a listing of everything': NO_FEED,
      'says RateLimited, and for how long': 'SFTP has no rate limits.',
      'says TooLarge before it reads a content that no account takes': 'There is no largest content.',
      'shares by a link, and ends it': NO_LINKS,
      'tells what changed since a cursor': NO_FEED,
      'tells where an entry went': NO_FEED,
      'says CursorReset of a cursor that it does not know': NO_FEED,
    },
  })
})
