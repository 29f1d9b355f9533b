import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localDriver } from '../../server/providers/local/driver.ts'
import { DiskFullError } from '../../server/storage/errors.ts'
import { createObjectStore, type ObjectStore } from '../../server/storage/objectStore.ts'
import type { StagingWriter } from '../../server/storage/stagingWriter.ts'
import { LOCAL } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { type FaultKind, type Harness, NO_THUMBNAILS, ONE_FAULT_SKIPS, type ServiceFault } from './harness.ts'

const CHUNK = 64 * 1024
const FAULTS: readonly FaultKind[] = ['cutUp', 'lostReply', 'truncate', 'vanish']

/** A disk that fails as it is told to. */
function failing(store: ObjectStore) {
  const state: { planned: ServiceFault | null; isFull: boolean; received: number } = {
    planned: null,
    isFull: false,
    received: 0,
  }
  const take = <Kind extends FaultKind>(kind: Kind): Extract<ServiceFault, { kind: Kind }> | null => {
    if (state.planned?.kind !== kind) return null
    const fault = state.planned as Extract<ServiceFault, { kind: Kind }>
    state.planned = null
    return fault
  }
  const watched = (writer: StagingWriter): StagingWriter => {
    const cut = take('cutUp')
    let written = 0
    return {
      get position() {
        return writer.position
      },
      async write(chunk) {
        if (state.isFull) throw new DiskFullError(null)
        await writer.write(chunk)
        written += chunk.length
        state.received += chunk.length
        if (cut && written >= cut.afterBytes) throw new Error('EIO')
      },
      sync: () => writer.sync(),
      truncate: (size) => writer.truncate(size),
      close: () => writer.close(),
    }
  }
  const faulty: ObjectStore = {
    ...store,
    stage: async (id, offset) => watched(await store.stage(id, offset)),
    async publish(id) {
      const kept = take('truncate')
      if (kept) {
        const writer = await store.stage(id, kept.bytes)
        await writer.close()
      }
      if (take('vanish')) return store.discard(id)
      await store.publish(id)
      if (take('lostReply')) throw new Error('EIO')
    },
  }
  return { faulty, state }
}

async function localHarness(): Promise<Harness> {
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-local-'))
  const { faulty, state } = failing(await createObjectStore(dataDir))
  const open = () => localDriver(faulty, { flushBytes: CHUNK })
  return {
    driver: open(),
    reopen: open,
    chunkBytes: CHUNK,
    manyEntries: null,
    keepsNames: false,
    keepsHash: false,
    faults: new Set(FAULTS),
    plan(fault) {
      state.planned = fault
    },
    fillQuota() {
      state.isFull = true
    },
    receivedBytes: () => state.received,
    close: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

const NO_NAMES = 'Names and folders are accepted and not kept.'
const NO_TREE = 'It stores objects of this server only.'
const NO_NETWORK = 'There is no network between this server and its disk.'

describeDriver('the disk of this server', localHarness, {
  facts: LOCAL,
  skips: {
    ...ONE_FAULT_SKIPS,
    ...NO_THUMBNAILS,
    'exports a document in the types that it names, and in no other': 'All files have bytes.',
    'says the hash of what is there': 'The hash is computed while writing and kept by the caller.',
    'keeps odd names': NO_NAMES,
    'refuses a name that is too long': NO_NAMES,
    'replaces nothing: an equal name is a Conflict, or a second entry': NO_NAMES,
    'tells names apart by case, or does not, as it says': NO_NAMES,
    'lists every entry once, over more than two pages': 'Its pages hold more entries than a test can make.',
    'says NotFound of a folder that is gone': NO_NAMES,
    'keeps folders apart': NO_NAMES,
    'lists everything in the account once, over several pages': NO_TREE,
    'says of everything where it is, up to the root, and does not list the root': NO_TREE,
    'lists nothing that was deleted or is in the trash': NO_TREE,
    'moves to the trash and restores, also without the folder': NO_TREE,
    'gives the same complete details of an entry in every list': NO_TREE,
    'gives a file another revision when its content changes': NO_TREE,
    'continues a listing of everything in another process': NO_TREE,
    'says CursorReset of a place in a listing of everything that it does not know': NO_TREE,
    'reports as changes what changed during a listing of everything': NO_TREE,
    'says AuthExpired when access has ended': 'There is nothing to sign in to.',
    'says RateLimited, and for how long': NO_NETWORK,
    'says Transient when the service fails': NO_NETWORK,
    'says Transient when the connection ends': NO_NETWORK,
    'says TooLarge before it reads a content that no account takes': 'There is no largest content.',
    'breaks the body when the download is cut': NO_NETWORK,
    'breaks the body when the download ends early': NO_NETWORK,
    'shares by a link, and ends it': 'This server shares by itself.',
    'copies without the bytes': 'Nothing asks for it.',
    'finds a copy by its session, and removes it': 'Nothing asks for it.',
    'sends what could not be copied': 'Nothing asks for it.',
    'moves and renames': NO_NAMES,
    'replaces nothing by a move or a copy': NO_NAMES,
    'tells what changed since a cursor': 'Nothing changes the disk but this server.',
    'tells where an entry went': 'Nothing changes the disk but this server.',
    'says CursorReset of a cursor that it does not know': 'Nothing changes the disk but this server.',
  },
})
