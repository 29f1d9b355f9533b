import { MEMORY } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { NO_THUMBNAILS, ONE_FAULT_SKIPS } from './harness.ts'
import { memoryHarness } from './memoryHarness.ts'

const NO_EQUAL_NAMES = {
  duplicateNames: false,
  caseSensitive: false,
  hash: 'dropbox',
  maxObjectBytes: 10_000_000,
} as const
const NO_SESSIONS = { resumable: false, hash: null } as const

describeDriver('a service in memory that is addressed by id', () => memoryHarness(), {
  facts: MEMORY,
  skips: {
    ...ONE_FAULT_SKIPS,
    ...NO_THUMBNAILS,
    'tells names apart by case, or does not, as it says': 'Names may be equal.',
    'says TooLarge before it reads a content that no account takes': 'There is no largest content.',
    'replaces nothing by a move or a copy': 'Names may be equal.',
  },
})

describeDriver('a service in memory that compares names', () => memoryHarness({ capabilities: NO_EQUAL_NAMES }), {
  facts: { ...MEMORY, capabilities: { ...MEMORY.capabilities, ...NO_EQUAL_NAMES } },
  skips: { ...ONE_FAULT_SKIPS, ...NO_THUMBNAILS },
})

describeDriver('a service in memory without sessions and hashes', () => memoryHarness({ capabilities: NO_SESSIONS }), {
  facts: { ...MEMORY, capabilities: { ...MEMORY.capabilities, ...NO_SESSIONS } },
  skips: {
    ...ONE_FAULT_SKIPS,
    ...NO_THUMBNAILS,
    'says the hash of what is there': 'The service has no hash.',
    'tells names apart by case, or does not, as it says': 'Names may be equal.',
    'says TooLarge before it reads a content that no account takes': 'There is no largest content.',
    'continues an upload in another process, from what was confirmed': 'Uploads are not resumable.',
    'starts over when its session was abandoned': 'Uploads are not resumable.',
    'keeps a session that a second cut interrupts': 'Uploads are not resumable.',
    'saves its session before it sends': 'Uploads are not resumable.',
    'replaces nothing by a move or a copy': 'Names may be equal.',
  },
})
