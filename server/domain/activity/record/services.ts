import type { Services } from '../../services.ts'
import type { ActivityRecorder } from '../log.ts'
import { recordAccounts } from './accounts.ts'
import { recordFiles } from './files.ts'
import { recordGroupClouds } from './groupClouds.ts'
import type { Say } from './say.ts'
import { recordTelegram } from './telegram.ts'
import { recordTransfers } from './transfers.ts'
import { recordUsers } from './users.ts'

/** Recorded where they are called; every other service writes down what it does itself, or changes nothing. */
type RecordedHere = 'users' | 'accounts' | 'groupClouds' | 'files' | 'transfers' | 'telegram'

/** The same services, with their changes written down. Each file beside this one says which methods only read; all others must be there. */
export function recordServices<Given extends Pick<Services, RecordedHere>>(
  services: Given,
  log: ActivityRecorder,
): Given {
  const { users, accounts, groupClouds, files, transfers, telegram } = services
  const say: Say = (viewer, entry) => log.record({ kind: 'VIEWER', viewer }, entry)
  return {
    ...services,
    users: { ...users, ...recordUsers(users, log) },
    accounts: { ...accounts, ...recordAccounts(accounts, say) },
    groupClouds: { ...groupClouds, ...recordGroupClouds(groupClouds, accounts, say) },
    files: { ...files, ...recordFiles(files, groupClouds, say) },
    transfers: { ...transfers, ...recordTransfers(transfers, say) },
    telegram: { ...telegram, ...recordTelegram(telegram, say) },
  }
}
