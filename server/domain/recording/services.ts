import type { Account, AccountsService } from '../accounts/contract.ts'
import type { Action, ActivityEntry } from '../activity/contract.ts'
import type { ActivityRecorder } from '../activity/log.ts'
import { UnauthenticatedError } from '../errors.ts'
import type { GroupCloud, GroupCloudsService } from '../groupClouds/contract.ts'
import type { Services } from '../services.ts'
import type { TelegramAccount, TelegramService } from '../telegram/service.ts'
import type { TransfersService } from '../transfers/contract.ts'
import type { SignedIn, UsersService } from '../users/contract.ts'
import { type Changes, createOnce, recordFiles, type Say } from './files.ts'

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

type UsersReads = 'viewerOf' | 'isLive' | 'me'

/** Signing in and out, written down. */
function recordUsers(users: UsersService, log: ActivityRecorder): Changes<UsersService, UsersReads> {
  async function sayStart(signedIn: SignedIn, action: Action): Promise<SignedIn> {
    const viewer = await users.viewerOf(signedIn.token).catch(() => null)
    if (viewer) log.record({ kind: 'VIEWER', viewer }, { action })
    return signedIn
  }

  return {
    register: async (input, client) => sayStart(await users.register(input, client), 'SIGNED_UP'),
    async login(input, client) {
      const signedIn = await users.login(input, client).catch((error: unknown) => {
        // Whether there is such a user is looked up when it is written: the answer must not take longer for one that is.
        if (error instanceof UnauthenticatedError) {
          const { address, userAgent } = client
          log.record({ kind: 'CLAIMED', email: input.email, address, userAgent }, { action: 'SIGN_IN_REFUSED' })
        }
        throw error
      })
      return sayStart(signedIn, 'SIGNED_IN')
    },
    async logout(viewer) {
      await log.learn([viewer])
      await users.logout(viewer)
      log.record({ kind: 'VIEWER', viewer }, { action: 'SIGNED_OUT' })
    },
  }
}

type AccountsReads =
  | 'providers'
  | 'providerName'
  | 'providerGlyph'
  | 'connectsBy'
  | 'providerOfLink'
  | 'list'
  | 'getMany'
  | 'quota'
  | 'readQuotas'
  | 'clientId'
  | 'authorize'
  | 'atRiskFiles'
  | 'previewLoss'

/** The changes of the accounts service, written down. */
function recordAccounts(accounts: AccountsService, say: Say): Changes<AccountsService, AccountsReads> {
  const about = ({ id, name, provider }: Account): Pick<ActivityEntry, 'subject' | 'details'> => ({
    subject: { type: 'Account', id, name },
    details: { provider: accounts.providerName(provider) },
  })

  return {
    async connect(viewer, provider, input, origin) {
      const account = await accounts.connect(viewer, provider, input, origin)
      say(viewer, { action: 'ACCOUNT_CONNECTED', ...about(account) })
      return account
    },
    async reconnect(viewer, id, input, origin) {
      const account = await accounts.reconnect(viewer, id, input, origin)
      say(viewer, { action: 'ACCOUNT_RECONNECTED', ...about(account) })
      return account
    },
    async connectByForm(viewer, provider, input) {
      const account = await accounts.connectByForm(viewer, provider, input)
      say(viewer, { action: 'ACCOUNT_CONNECTED', ...about(account) })
      return account
    },
    async reconnectByForm(viewer, id, fields) {
      const account = await accounts.reconnectByForm(viewer, id, fields)
      say(viewer, { action: 'ACCOUNT_RECONNECTED', ...about(account) })
      return account
    },
    async update(viewer, id, patch) {
      const [before] = await accounts.getMany(viewer, [id])
      const account = await accounts.update(viewer, id, patch)
      if (before && (before.name !== account.name || before.hue !== account.hue)) {
        const details = { from: before.name, to: account.name }
        say(viewer, { action: 'ACCOUNT_CHANGED', ...about(account), details })
      }
      return account
    },
    async disconnect(viewer, id, force) {
      const [before] = await accounts.getMany(viewer, [id])
      await accounts.disconnect(viewer, id, force)
      if (before) say(viewer, { action: 'ACCOUNT_DISCONNECTED', ...about(before) })
    },
  }
}

type GroupCloudsReads = 'list' | 'getMany' | 'health' | 'roomWith' | 'previewPlacement' | 'previewPlacements'

/** The changes of the group clouds service, written down. */
function recordGroupClouds(
  groupClouds: GroupCloudsService,
  accounts: Pick<AccountsService, 'getMany'>,
  say: Say,
): Changes<GroupCloudsService, GroupCloudsReads> {
  const once = createOnce()
  const about = ({ id, name }: GroupCloud): Pick<ActivityEntry, 'subject'> => ({
    subject: { type: 'GroupCloud', id, name },
  })

  return {
    async create(viewer, input, idempotencyKey) {
      const created = await groupClouds.create(viewer, input, idempotencyKey)
      const isNew = idempotencyKey === undefined || once(created.id)
      if (isNew) say(viewer, { action: 'GROUP_CLOUD_CREATED', ...about(created) })
      return created
    },
    async update(viewer, id, patch) {
      const [before] = await groupClouds.getMany(viewer, [id])
      const changed = await groupClouds.update(viewer, id, patch)
      const details = before && before.name !== changed.name ? { from: before.name } : {}
      say(viewer, { action: 'GROUP_CLOUD_CHANGED', ...about(changed), details })
      return changed
    },
    async drain(viewer, id, accountId, draining) {
      const [before] = await groupClouds.getMany(viewer, [id])
      const changed = await groupClouds.drain(viewer, id, accountId, draining)
      const member = before?.members.find((candidate) => candidate.accountId === accountId)
      const [account] = await accounts.getMany(viewer, [accountId]).catch(() => [])
      if (account && member?.draining !== draining) {
        const subject = { type: 'Account', id: accountId, name: account.name } as const
        const details = { groupCloud: changed.name, draining: String(draining) }
        say(viewer, { action: 'MEMBER_DRAINED', subject, details })
      }
      return changed
    },
    async remove(viewer, id, files) {
      const [before] = await groupClouds.getMany(viewer, [id])
      await groupClouds.remove(viewer, id, files)
      if (before) say(viewer, { action: 'GROUP_CLOUD_DELETED', ...about(before) })
    },
  }
}

/** Pausing, resuming and trying again change no file and no place of one. */
type TransfersReads = 'list' | 'page' | 'getMany' | 'pause' | 'resume' | 'retry'

/** The changes of the transfers service, written down. */
function recordTransfers(transfers: TransfersService, say: Say): Changes<TransfersService, TransfersReads> {
  return {
    async cancel(viewer, id) {
      const [before] = await transfers.getMany(viewer, [id])
      const transfer = await transfers.cancel(viewer, id)
      if (before?.state !== 'CANCELLED') {
        const subject = { type: 'File', id: transfer.fileId, name: transfer.fileName } as const
        say(viewer, { action: 'TRANSFER_CANCELLED', subject })
      }
      return transfer
    },
  }
}

type TelegramReads = 'list' | 'registrationCode'

/** The changes of the Telegram service, written down. */
function recordTelegram(telegram: TelegramService, say: Say): Changes<TelegramService, TelegramReads> {
  const about = ({ id, name }: TelegramAccount): Pick<ActivityEntry, 'subject' | 'details'> => ({
    subject: { type: 'TelegramAccount', id, name },
    details: { provider: 'Telegram' },
  })

  return {
    async connect(viewer, input) {
      const account = await telegram.connect(viewer, input)
      say(viewer, { action: 'ACCOUNT_CONNECTED', ...about(account) })
      return account
    },
    async reconnect(viewer, id, code) {
      const account = await telegram.reconnect(viewer, id, code)
      say(viewer, { action: 'ACCOUNT_RECONNECTED', ...about(account) })
      return account
    },
  }
}
