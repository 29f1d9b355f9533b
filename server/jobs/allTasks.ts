import type { JobName } from '../domain/jobs.ts'
import type { Task } from './task.ts'
import { deleteUser } from './tasks/deleteUser.ts'
import { endShares } from './tasks/endShares.ts'
import { expireTrash } from './tasks/expireTrash.ts'
import { expireUploads } from './tasks/expireUploads.ts'
import { forgetActivities } from './tasks/forgetActivities.ts'
import { forgetAuthorizations } from './tasks/forgetAuthorizations.ts'
import { forgetChanges } from './tasks/forgetChanges.ts'
import { forgetEntries } from './tasks/forgetEntries.ts'
import { forgetKeys } from './tasks/forgetKeys.ts'
import { mailNotice } from './tasks/mailNotice.ts'
import { mailPasswordReset } from './tasks/mailPasswordReset.ts'
import { moveFolderToGroupCloud } from './tasks/moveFolderToGroupCloud.ts'
import { propagateTrash } from './tasks/propagateTrash.ts'
import { purgeFiles } from './tasks/purgeFiles.ts'
import { readSuspect } from './tasks/readSuspect.ts'
import { reconcileFiles } from './tasks/reconcileFiles.ts'
import { reconcileTransfers } from './tasks/reconcileTransfers.ts'
import { removeObjects } from './tasks/removeObjects.ts'
import { renameObjects } from './tasks/renameObjects.ts'
import { resumeRemovals } from './tasks/resumeRemovals.ts'
import { runTransfer } from './tasks/runTransfer.ts'
import { seekObject } from './tasks/seekObject.ts'
import { sweepEntries } from './tasks/sweepEntries.ts'
import { sweepStaging } from './tasks/sweepStaging.ts'
import { wakeTransfers } from './tasks/wakeTransfers.ts'

const TASKS: Readonly<Record<JobName, Task>> = {
  deleteUser,
  endShares,
  expireTrash,
  expireUploads,
  forgetActivities,
  forgetAuthorizations,
  forgetChanges,
  forgetEntries,
  forgetKeys,
  mailNotice,
  mailPasswordReset,
  moveFolderToGroupCloud,
  propagateTrash,
  purgeFiles,
  reconcileTransfers,
  readSuspect,
  removeObjects,
  renameObjects,
  resumeRemovals,
  runTransfer,
  seekObject,
  settleFiles: reconcileFiles,
  sweepEntries,
  sweepStaging,
  wakeTransfers,
}

/** Every kind of job. */
export const ALL_TASKS: readonly Task[] = Object.values(TASKS)

/** The number of attempts before a job is given up. */
export function attemptsOf(name: JobName): number {
  return TASKS[name].attempts
}
