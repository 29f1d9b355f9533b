import type { DriverFacts } from './capabilities.ts'
import { NO_THUMBNAILS } from './harness.ts'

export const WEBDAV: DriverFacts = {
  capabilities: {
    hash: null,
    duplicateNames: false,
    caseSensitive: true,
    maxObjectBytes: null,
    maxNameLength: 255,
    nameUnit: 'bytes',
    maxConcurrency: 6,
    maxConcurrentWrites: 3,
    resumable: false,
    pathRefs: true,
  },
  optional: ['listAll', 'move', 'copy'],
}

const NO_HASH = 'Servers report no hash: what is stored is read back.'
const NO_CHANGES = 'WebDAV reports no changes: everything is listed again.'
const NOT_RESUMABLE = 'Plain servers keep nothing of an interrupted upload that can be relied on.'
const NO_TRASH = 'WebDAV has no trash.'
export const WEBDAV_SKIPS: Readonly<Record<string, string>> = {
  ...NO_THUMBNAILS,
  'says the hash of what is there': NO_HASH,
  'lists nothing that was deleted or is in the trash': NO_TRASH,
  'moves to the trash and restores, also without the folder': NO_TRASH,
  'reports as changes what changed during a listing of everything': NO_CHANGES,
  'tells what changed since a cursor': NO_CHANGES,
  'tells where an entry went': NO_CHANGES,
  'says CursorReset of a cursor that it does not know': NO_CHANGES,
  'says TooLarge before it reads a content that no account takes': 'There is no largest content.',
  'exports a document in the types that it names, and in no other': 'All files have bytes.',
  'shares by a link, and ends it': 'WebDAV has no links.',
  'continues an upload in another process, from what was confirmed': NOT_RESUMABLE,
  'starts over when its session was abandoned': NOT_RESUMABLE,
  'keeps a session that a second cut interrupts': NOT_RESUMABLE,
  'saves its session before it sends': NOT_RESUMABLE,
}
