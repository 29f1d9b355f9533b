import { describe, expect, it } from 'vitest'
import type { Driver, Entry } from '../../server/providers/driver.ts'
import { isFailure, ProviderError } from '../../server/providers/errors.ts'
import type { DriverFacts } from './capabilities.ts'
import { CASES, describeDriver, runCase } from './driverSuite.ts'
import { PHOTOS_CASES } from './googlePhotosCases.ts'
import { PHOTOS_LACKS, photosHarness, photosStage } from './googlePhotosStage.ts'
import { keptPartSkips, NO_THUMBNAILS } from './harness.ts'
import { everythingPage } from './kit.ts'

const FACTS: DriverFacts = {
  capabilities: {
    hash: null,
    duplicateNames: true,
    caseSensitive: true,
    maxObjectBytes: 20_000_000_000,
    maxNameLength: 255,
    nameUnit: 'utf16',
    refusesName: expect.any(Function),
    maxConcurrency: 8,
    maxConcurrentWrites: 1,
    resumable: true,
    altersContent: true,
    relistHours: 6,
  },
  optional: ['listAll', 'changes'],
}
const IMMUTABLE = 'Programs cannot change what is in Google Photos.'
const NO_COPY = 'Google Photos makes no copies: equal bytes are one photo.'
const NOT_REPORTED = 'Google Photos reports no hashes.'

describeDriver('Google Photos', () => photosHarness(), {
  facts: FACTS,
  skips: {
    ...keptPartSkips('Programs can delete nothing in Google Photos.'),
    ...NO_THUMBNAILS,
    ...PHOTOS_LACKS,
    'says the hash of what is there': NOT_REPORTED,
    'tells names apart by case, or does not, as it says': 'Names may be equal.',
    'exports a document in the types that it names, and in no other': 'All files have bytes.',
    'lists nothing that was deleted or is in the trash': 'Programs do not see the trash.',
    'moves to the trash and restores, also without the folder': IMMUTABLE,
    'gives a file another revision when its content changes': IMMUTABLE,
    'finds an upload again whose answer was lost': 'Empty files are not taken; the own cases lose answers.',
    'notices that the service kept less than was sent': 'What is returned can be shorter than what was sent.',
    'shares by a link, and ends it': IMMUTABLE,
    'copies without the bytes': NO_COPY,
    'finds a copy by its session, and removes it': NO_COPY,
    'sends what could not be copied': NO_COPY,
    'moves and renames': IMMUTABLE,
    'replaces nothing by a move or a copy': IMMUTABLE,
  },
})

describe('a library of Google Photos', () => {
  it.each(Object.entries(PHOTOS_CASES))('%s', async (_name, run) => {
    const stage = await photosStage()
    try {
      await run(stage)
    } finally {
      await stage.emulators.close()
    }
  })
})

type Mistake = { readonly foundBy: string; wrap(driver: Driver): Partial<Driver> }
const recoded = (error: unknown, from: ProviderError['code'], to: ProviderError['code']): unknown =>
  isFailure(error, from) ? new ProviderError(to, error.where, error.detail) : error

/** Mistakes that a driver of Google Photos can have, and the case that is there to find each. */
const MISTAKES: Readonly<Record<string, Mistake>> = {
  'shows photos of albums in the root': {
    foundBy: 'shows albums as folders, and each photo once',
    wrap: (driver) => ({
      async listAll(by, cursor) {
        const page = await everythingPage(driver, cursor, by)
        const inRoot = ({ details, ...entry }: Entry): Entry =>
          details ? { ...entry, details: { ...details, parent: driver.root } } : entry
        return { ...page, items: page.items.map(inRoot) }
      },
    }),
  },
  'makes an album each time': {
    foundBy: 'makes a folder once',
    wrap: ({ ensureFolder }) => ({
      ensureFolder: (by, parent, name) => ensureFolder(by, parent, `${name} ${Math.random()}`),
    }),
  },
  'sends everything again after a lost answer': {
    foundBy: 'adds no photo twice when an answer was lost',
    wrap: ({ put }) => ({
      put: (by, entry, content, progress) => put(by, entry, content, { ...progress, session: null }),
    }),
  },
  'takes a refused file for a failing service': {
    foundBy: 'says that something is no photo, and that nothing is empty',
    wrap: ({ put }) => ({
      put: (...request) =>
        put(...request).catch((error: unknown) => {
          throw recoded(error, 'Permanent', 'Transient')
        }),
    }),
  },
  'says the size of what was sent': {
    foundBy: 'says the size of what it returns, and not of what was sent',
    wrap: ({ put }) => ({
      put: async (by, entry, content, progress) => ({
        ...(await put(by, entry, content, progress)),
        size: entry.size,
      }),
    }),
  },
  'deletes without a word': {
    foundBy: 'deletes nothing, and says so',
    wrap: () => ({ delete: async () => undefined }),
  },
  'reports no changes for ever': {
    foundBy: 'asks to be listed again after some hours',
    wrap: () => ({ changes: async (_call, cursor) => ({ changes: [], cursor: cursor ?? 'now', hasMore: false }) }),
  },
  'takes missing scopes for a rule of an administrator': {
    foundBy: 'tells missing access from ended access and from limits',
    wrap: (driver) => ({
      listAll: (by, cursor) =>
        everythingPage(driver, cursor, by).catch((error: unknown) => {
          throw recoded(error, 'ReconnectNeeded', 'Forbidden')
        }),
    }),
  },
  'waits a moment for the limit of a day': {
    foundBy: 'tells missing access from ended access and from limits',
    wrap: (driver) => ({
      listAll: (by, cursor) =>
        everythingPage(driver, cursor, by).catch((error: unknown) => {
          throw recoded(error, 'Forbidden', 'RateLimited')
        }),
    }),
  },
  'asks the library for its quota': {
    foundBy: 'asks nothing of the library for its quota',
    wrap: (driver) => ({
      async quota(by) {
        await driver.list(by, driver.root, null)
        return driver.quota(by)
      },
    }),
  },
  'drops the last page of a list': {
    foundBy: 'lists every entry once, over more than two pages',
    wrap: ({ list }) => ({
      async list(by, folder, cursor) {
        const page = await list(by, folder, cursor)
        return cursor !== null && page.cursor === null ? { items: [], cursor: null } : page
      },
    }),
  },
  'forgets how long to wait': {
    foundBy: 'says RateLimited, and for how long',
    wrap: ({ list }) => ({
      list: (by, folder, cursor) =>
        list(by, folder, cursor).catch((error: unknown) => {
          if (!isFailure(error, 'RateLimited')) throw error
          throw new ProviderError(error.code, error.where, { message: error.detail.message })
        }),
    }),
  },
}

async function run(name: string, wrap: (driver: Driver) => Driver): Promise<void> {
  const own = PHOTOS_CASES[name]
  if (!own) {
    const test = CASES.find((one) => one.name === name)
    if (!test) throw new Error(`There is no case “${name}”.`)
    await runCase(test, () => photosHarness(wrap), {})
    return
  }
  const stage = await photosStage()
  try {
    await own({ ...stage, open: (scope) => wrap(stage.open(scope)) })
  } finally {
    await stage.emulators.close()
  }
}

describe('the cases of Google Photos', () => {
  it.each(Object.entries(MISTAKES))('find a driver that %s', async (_words, { foundBy, wrap }) => {
    await run(foundBy, (driver) => ({ ...driver }))
    await expect(run(foundBy, (driver) => ({ ...driver, ...wrap(driver) }))).rejects.toThrow()
  })
})
