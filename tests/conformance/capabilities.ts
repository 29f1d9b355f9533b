import type { Capabilities, Driver } from '../../server/providers/driver.ts'

type Optional = { [Name in keyof Driver]-?: undefined extends Driver[Name] ? Name : never }[keyof Driver]

/** What a driver can do, as it is promised: a change of it is a decision. */
export type DriverFacts = { readonly capabilities: Capabilities; readonly optional: readonly Optional[] }

export const OPTIONAL = [
  'listAll',
  'export',
  'thumbnail',
  'move',
  'trash',
  'restore',
  'copy',
  'changes',
  'share',
  'unshare',
] as const satisfies readonly Optional[]

export const MEMORY: DriverFacts = {
  capabilities: {
    hash: 'sha256',
    duplicateNames: true,
    caseSensitive: true,
    maxObjectBytes: null,
    maxNameLength: 255,
    nameUnit: 'utf16',
    maxConcurrency: 8,
    maxConcurrentWrites: 4,
    resumable: true,
  },
  optional: OPTIONAL.filter((method) => method !== 'thumbnail'),
}

export const LOCAL: DriverFacts = {
  capabilities: {
    hash: 'sha256',
    duplicateNames: true,
    caseSensitive: true,
    maxObjectBytes: null,
    maxNameLength: 255,
    nameUnit: 'bytes',
    maxConcurrency: 64,
    maxConcurrentWrites: 16,
    resumable: true,
  },
  optional: [],
}

export const SFTP: DriverFacts = {
  capabilities: {
    hash: null,
    duplicateNames: false,
    caseSensitive: true,
    maxObjectBytes: null,
    maxNameLength: 255,
    nameUnit: 'bytes',
    maxConcurrency: 12,
    maxConcurrentWrites: 4,
    resumable: true,
    pathRefs: true,
  },
  optional: ['listAll', 'move', 'copy'],
}
