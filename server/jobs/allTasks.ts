import type { JobName } from '../domain/jobs.ts'
import type { Task } from './task.ts'
import { expireTrash } from './tasks/expireTrash.ts'
import { expireUploads } from './tasks/expireUploads.ts'
import { forgetAuthorizations } from './tasks/forgetAuthorizations.ts'
import { forgetKeys } from './tasks/forgetKeys.ts'
import { moveFolderToGroupCloud } from './tasks/moveFolderToGroupCloud.ts'
import { propagateTrash } from './tasks/propagateTrash.ts'
import { purgeFiles } from './tasks/purgeFiles.ts'
import { removeObjects } from './tasks/removeObjects.ts'
import { runTransfer } from './tasks/runTransfer.ts'
import { settleFiles } from './tasks/settleFiles.ts'
import { sweepStaging } from './tasks/sweepStaging.ts'
import { wakeTransfers } from './tasks/wakeTransfers.ts'

const TASKS: Readonly<Record<JobName, Task>> = {
  expireTrash,
  expireUploads,
  forgetAuthorizations,
  forgetKeys,
  moveFolderToGroupCloud,
  propagateTrash,
  purgeFiles,
  removeObjects,
  runTransfer,
  settleFiles,
  sweepStaging,
  wakeTransfers,
}

/** Every kind of job. */
export const ALL_TASKS: readonly Task[] = Object.values(TASKS)

/** How often a job is tried before it is given up. */
export function attemptsOf(name: JobName): number {
  return TASKS[name].attempts
}
