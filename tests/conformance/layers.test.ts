import { createLogger } from '../../server/lib/logger.ts'
import type { Driver, ProviderModule } from '../../server/providers/driver.ts'
import { limit } from '../../server/providers/layers/limit.ts'
import { refresh } from '../../server/providers/layers/refresh.ts'
import { observe, retry } from '../../server/providers/layers/wrapDriver.ts'
import { credentialStore } from '../server/providers/layersSetup.ts'
import { MEMORY } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { type FaultKind, type Harness, NO_THUMBNAILS, ONE_FAULT_SKIPS } from './harness.ts'
import { memoryHarness } from './memoryHarness.ts'

/** Those that no layer mends. */
const FAULTS: readonly FaultKind[] = ['cutDown', 'shortBody', 'truncate', 'vanish']

function inLayers(driver: Driver): Driver {
  const clock = { now: () => Date.now(), random: () => 0, sleep: async () => undefined }
  const module: ProviderModule = {
    kind: driver.kind,
    signIn: { by: 'FORM', form: { fields: [], exchange: async () => ({ expiresAt: null }) } },
    open: () => driver,
  }
  const { store } = credentialStore({ expiresAt: null })
  const inner = refresh({ accountId: 'account-1', module, store, clock })
  const logger = createLogger('silent')
  return observe(retry(limit(inner, { clock }), { clock }), { accountId: 'account-1', logger, clock })
}

function layeredHarness(): Harness {
  const { expireAccess: _renewed, ...harness } = memoryHarness({}, inLayers)
  return { ...harness, faults: new Set(FAULTS) }
}

const MENDED = 'A layer mends it; its own tests show how.'

describeDriver('a driver in all its layers', layeredHarness, {
  facts: MEMORY,
  skips: {
    ...ONE_FAULT_SKIPS,
    ...NO_THUMBNAILS,
    'tells names apart by case, or does not, as it says': 'Names may be equal.',
    'replaces nothing by a move or a copy': 'Names may be equal.',
    'says TooLarge before it reads a content that no account takes': 'There is no largest content.',
    'says AuthExpired when access has ended': MENDED,
    'says RateLimited, and for how long': MENDED,
    'says Transient when the service fails': MENDED,
    'says Transient when the connection ends': MENDED,
    'continues an upload in another process, from what was confirmed': MENDED,
    'starts over when its session was abandoned': MENDED,
    'keeps a session that a second cut interrupts': MENDED,
    'finds an upload again whose answer was lost': MENDED,
    'leaves nothing of an upload that was interrupted, and whose name another file got': MENDED,
  },
})
