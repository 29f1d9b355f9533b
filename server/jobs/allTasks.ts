import type { JobName } from '../domain/jobs.ts'
import type { Task } from './task.ts'
import { checkAllDuplicates } from './tasks/checkAllDuplicates.ts'
import { checkDuplicates } from './tasks/checkDuplicates.ts'
import { compareFiles } from './tasks/compareFiles.ts'
import { deleteUser } from './tasks/deleteUser.ts'
import { endShares } from './tasks/endShares.ts'
import { expireTrash } from './tasks/expireTrash.ts'
import { expireUploads } from './tasks/expireUploads.ts'
import { followSearch } from './tasks/followSearch.ts'
import { forgetActivities } from './tasks/forgetActivities.ts'
import { forgetAuthorizations } from './tasks/forgetAuthorizations.ts'
import { forgetChanges } from './tasks/forgetChanges.ts'
import { forgetEntries } from './tasks/forgetEntries.ts'
import { forgetKeys } from './tasks/forgetKeys.ts'
import { hashFiles } from './tasks/hashFiles.ts'
import { mailNotice } from './tasks/mailNotice.ts'
import { mailPasswordReset } from './tasks/mailPasswordReset.ts'
import { measureRoom } from './tasks/measureRoom.ts'
import { moveFolderToGroupCloud } from './tasks/moveFolderToGroupCloud.ts'
import { propagateTrash } from './tasks/propagateTrash.ts'
import { protectFiles } from './tasks/protectFiles.ts'
import { purgeFiles } from './tasks/purgeFiles.ts'
import { readAllTexts } from './tasks/readAllTexts.ts'
import { readSuspect } from './tasks/readSuspect.ts'
import { readTexts } from './tasks/readTexts.ts'
import { reconcileFiles } from './tasks/reconcileFiles.ts'
import { reconcileTransfers } from './tasks/reconcileTransfers.ts'
import { removeObjects } from './tasks/removeObjects.ts'
import { renameObjects } from './tasks/renameObjects.ts'
import { resumeRemovals } from './tasks/resumeRemovals.ts'
import { runTransfer } from './tasks/runTransfer.ts'
import { seekObject } from './tasks/seekObject.ts'
import { sweepEntries } from './tasks/sweepEntries.ts'
import { sweepProtections } from './tasks/sweepProtections.ts'
import { sweepStaging } from './tasks/sweepStaging.ts'
import { sweepVersions } from './tasks/sweepVersions.ts'
import { takePlace } from './tasks/takePlace.ts'
import { trimThumbnails } from './tasks/trimThumbnails.ts'
import { wakeTransfers } from './tasks/wakeTransfers.ts'

const TASKS: Readonly<Record<JobName, Task>> = {
  checkAllDuplicates,
  checkDuplicates,
  compareFiles,
  deleteUser,
  endShares,
  expireTrash,
  expireUploads,
  followSearch,
  forgetActivities,
  forgetAuthorizations,
  forgetChanges,
  forgetEntries,
  forgetKeys,
  hashFiles,
  mailNotice,
  mailPasswordReset,
  measureRoom,
  moveFolderToGroupCloud,
  propagateTrash,
  protectFiles,
  purgeFiles,
  readAllTexts,
  readSuspect,
  readTexts,
  reconcileTransfers,
  removeObjects,
  renameObjects,
  resumeRemovals,
  runTransfer,
  seekObject,
  settleFiles: reconcileFiles,
  sweepEntries,
  sweepProtections,
  sweepStaging,
  sweepVersions,
  takePlace,
  trimThumbnails,
  wakeTransfers,
}

/** Every kind of job. */
export const ALL_TASKS: readonly Task[] = Object.values(TASKS)

/** The number of attempts before a job is given up. */
export function attemptsOf(name: JobName): number {
  return TASKS[name].attempts
}
