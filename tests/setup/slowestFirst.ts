import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ROOT = resolve(import.meta.dirname, '../..')

/**
 * The files that take longest, slowest first in each project. Their order need not be exact: what counts is that none of them is last, and that
 * those that mostly wait (downloads that are slowed down, processes of others) run beside some that compute.
 */
const SLOWEST = [
  // Asks for a full collection of garbage hundreds of times: in a process that has loaded little, each takes a tenth of the time.
  'tests/server/providers/hostileSizes.test.ts',
  // With three servers, one of which is killed, it waits a minute for what that one had begun.
  'tests/server/transfersGraphql.test.ts',
  'tests/server/transfersCrash.test.ts',
  'tests/server/bucketCrash.test.ts',
  'tests/server/simInPlace.test.ts',
  'tests/server/sim.test.ts',
  // Waits for four fifths of its time, as the others that are marked do: between them there are always two that compute.
  'tests/server/sharesDownloads.test.ts',
  'tests/server/filesListingPlans.test.ts',
  'tests/server/duplicatesUndo.test.ts',
  // Waits.
  'tests/server/fakes/onedriveRclone.test.ts',
  'tests/server/thumbnailCorpus.test.ts',
  'tests/server/storageMove.test.ts',
  // Waits.
  'tests/server/scripts/testRuns.test.ts',
  'tests/server/bucketServers.test.ts',
  'tests/server/objectStores.test.ts',
  'tests/server/fakes/boxRclone.test.ts',
  'tests/server/inPlaceWalkServers.test.ts',
  'tests/server/restContractErrors.test.ts',
  'tests/server/deleteUser.test.ts',
  'tests/conformance/amazonS3.test.ts',
  'tests/conformance/sftp.test.ts',
  'tests/e2e/languages.test.ts',
  'tests/e2e/rightToLeft.test.ts',
  'tests/e2e/inPlaceJourney.test.ts',
  'tests/e2e/journey.test.ts',
  'tests/e2e/previewKinds.test.ts',
  'tests/e2e/hostileContent.test.ts',
  'tests/e2e/accessibilityPreviews.test.ts',
  'tests/e2e/lighthouse.test.ts',
  'tests/e2e/uploadLinks.test.ts',
  'tests/e2e/clouds.test.ts',
  'tests/e2e/groupClouds.test.ts',
  'tests/e2e/tags.test.ts',
  'tests/e2e/inPlace.test.ts',
  'tests/e2e/sharing.test.ts',
  'tests/e2e/formAccounts.test.ts',
  'tests/e2e/jobs.test.ts',
  'tests/e2e/duplicatesAll.test.ts',
  'tests/e2e/everyday.test.ts',
  'tests/e2e/cloudsAccessibility.test.ts',
  'tests/e2e/inPlaceThumbnails.test.ts',
  'tests/e2e/screens.test.ts',
  'tests/spec/clouds.test.ts',
  'tests/spec/uploads.test.ts',
  'tests/spec/shell.test.ts',
  'tests/spec/keysAndSettings.test.ts',
  'tests/spec/entrance.test.ts',
  'tests/acceptance/moveStorage.test.ts',
  'tests/acceptance/behindOurBack.test.ts',
  'tests/acceptance/duties.test.ts',
  'tests/acceptance/servers.test.ts',
  'tests/acceptance/deleteUser.test.ts',
]

/**
 * Vitest's own order without a cache of former runs is by the size of the files, which says little about how long they take: a file of
 * some lines that takes two minutes would keep one worker busy while the others have nothing left to do.
 */
export class SlowestFirst extends BaseSequencer {
  /** @throws Error where a file of the list is missing: it was renamed, and would be late again */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = SLOWEST.filter((file) => !existsSync(resolve(ROOT, file)))
    if (missing.length > 0)
      throw new Error(`tests/setup/slowestFirst.ts names what is not there: ${missing.join(', ')}`)
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))].map((project) =>
      sorted.filter((file) => file.project === project).toSorted((one, other) => rankOf(one) - rankOf(other)),
    )
    return projects.toSorted((one, other) => turnOf(one) - turnOf(other)).flat()
  }
}

/** Projects with long files begin, those with few files first: at the end, there are many short ones for all workers. */
function turnOf(files: readonly TestSpecification[]): number {
  const isShort = files.every((file) => rankOf(file) === SLOWEST.length)
  return isShort ? Number.MAX_SAFE_INTEGER : files.length
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOWEST.indexOf(relative(ROOT, moduleId))
  return rank === -1 ? SLOWEST.length : rank
}
