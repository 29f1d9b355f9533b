import { createHarbour, HARBOUR_ADDRESS, type Harbour } from '../fakes/harbour/harbour.ts'
import { MEMORY } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { NO_THUMBNAILS, ONE_FAULT_SKIPS } from './harness.ts'
import { memoryHarness } from './memoryHarness.ts'

const OPTIONS = { kind: 'harbour', accessMs: 10 ** 12 }
const ALICE = { expiresAt: null, address: HARBOUR_ADDRESS, user: 'alice', password: 'a plank' }

function harness() {
  let harbour: Harbour | null = null
  return memoryHarness(OPTIONS, undefined, (cloud) => {
    if (harbour) return harbour.module.open(ALICE)
    harbour = createHarbour(cloud)
    harbour.setPassword(ALICE.user, ALICE.password)
    return harbour.module.open(ALICE)
  })
}

describeDriver('Harbour', harness, {
  facts: MEMORY,
  skips: {
    ...ONE_FAULT_SKIPS,
    ...NO_THUMBNAILS,
    'tells names apart by case, or does not, as it says': 'Names may be equal.',
    'says TooLarge before it reads a content that no account takes': 'There is no largest content.',
    'replaces nothing by a move or a copy': 'Names may be equal.',
  },
})
