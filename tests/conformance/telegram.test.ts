import { describe, it } from 'vitest'
import type { DriverFacts } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { NO_THUMBNAILS } from './harness.ts'
import { TELEGRAM_CASES } from './telegramCases.ts'
import { telegramHarness, telegramStage } from './telegramStage.ts'

const FACTS: DriverFacts = {
  capabilities: {
    hash: null,
    duplicateNames: true,
    caseSensitive: true,
    maxObjectBytes: 39_714_816_000,
    maxNameLength: 255,
    nameUnit: 'utf16',
    maxConcurrency: 8,
    maxConcurrentWrites: 2,
    resumable: true,
  },
  optional: [],
}
const NO_NAMES = 'Names and folders are accepted and not kept.'
const NO_LIST = 'Bots cannot list a channel.'
const NO_COPY = 'A forwarded message is another one of the same file, whose parts would still be those of the original.'

describeDriver('Telegram', () => telegramHarness(), {
  facts: FACTS,
  skips: {
    ...NO_THUMBNAILS,
    'exports a document in the types that it names, and in no other': 'All files have bytes.',
    'says the hash of what is there': 'Telegram reports no hashes.',
    'keeps odd names': NO_NAMES,
    'refuses a name that is too long': NO_NAMES,
    'replaces nothing: an equal name is a Conflict, or a second entry': NO_NAMES,
    'tells names apart by case, or does not, as it says': NO_NAMES,
    'lists every entry once, over more than two pages': NO_LIST,
    'says NotFound of a folder that is gone': NO_NAMES,
    'keeps folders apart': NO_NAMES,
    'lists everything in the account once, over several pages': NO_LIST,
    'says of everything where it is, up to the root, and does not list the root': NO_LIST,
    'lists nothing that was deleted or is in the trash': NO_LIST,
    'moves to the trash and restores, also without the folder': 'Telegram has no trash.',
    'gives the same complete details of an entry in every list': NO_LIST,
    'gives a file another revision when its content changes': NO_LIST,
    'continues a listing of everything in another process': NO_LIST,
    'says CursorReset of a place in a listing of everything that it does not know': NO_LIST,
    'reports as changes what changed during a listing of everything': NO_LIST,
    'says QuotaExceeded when the account is full': 'Telegram has no quota.',
    'shares by a link, and ends it': 'What is in the channel is encrypted.',
    'copies without the bytes': NO_COPY,
    'finds a copy by its session, and removes it': NO_COPY,
    'sends what could not be copied': NO_COPY,
    'moves and renames': NO_NAMES,
    'replaces nothing by a move or a copy': NO_NAMES,
    'tells what changed since a cursor': NO_LIST,
    'tells where an entry went': NO_LIST,
    'says CursorReset of a cursor that it does not know': NO_LIST,
  },
})

describe('a channel of Telegram', () => {
  it.each(Object.entries(TELEGRAM_CASES))('%s', async (_name, run) => {
    const stage = await telegramStage()
    try {
      await run(stage)
    } finally {
      await stage.emulators.close()
    }
  })
})
