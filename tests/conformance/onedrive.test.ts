import { expect } from 'vitest'
import { type DriverFacts, OPTIONAL } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { oneDriveHarness } from './oneDriveHarness.ts'

const FACTS: DriverFacts = {
  capabilities: {
    hash: 'quickxor',
    duplicateNames: false,
    caseSensitive: false,
    maxObjectBytes: 250_000_000_000,
    maxNameLength: 255,
    refusesName: expect.any(Function),
    rewrites: expect.any(Function),
    overwrites: true,
    nameUnit: 'utf16',
    maxConcurrency: 8,
    maxConcurrentWrites: 4,
    resumable: true,
  },
  optional: OPTIONAL.filter((method) => !['export', 'trash', 'restore'].includes(method)),
}

const SKIPS = {
  'exports a document in the types that it names, and in no other': 'OneDrive stores Office documents as files.',
  'moves to the trash and restores, also without the folder':
    'OneDrive restores for personal accounts only, and does not say what is in its recycle bin.',
}
describeDriver('OneDrive', () => oneDriveHarness(), { facts: FACTS, skips: SKIPS })
describeDriver('OneDrive, of an organisation', () => oneDriveHarness({ driveType: 'business' }), {
  facts: FACTS,
  skips: SKIPS,
})
