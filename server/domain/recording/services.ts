import type { Account, AccountsService } from '../accounts/contract.ts'
import type { Action, ActivityEntry } from '../activity/contract.ts'
import type { ActivityRecorder } from '../activity/log.ts'
import { UnauthenticatedError } from '../errors.ts'
import type { GroupCloud, GroupCloudsService } from '../groupClouds/contract.ts'
import type { Services } from '../services.ts'
import type { TelegramAccount, TelegramService } from '../telegram/service.ts'
import type { TransfersService } from '../transfers/contract.ts'
import type { SignedIn, UsersService } from '../users/contract.ts'
import { type Changes, createOnce, type RecordEntry, recordFiles } from './files.ts'

/** The services whose changes are recorded here; every other service records its own, or changes nothing. */
type RecordedHere = 'users' | 'accounts' | 'groupClouds' | 'files' | 'transfers' | 'telegram'

/**
 * Wraps the services so that their changes are recorded. Each wrapper lists the methods that only read; all others must
 * be wrapped.
 */
export function recordServices<Given extends Pick<Services, RecordedHere>>(
  services: Given,
  log: ActivityRecorder,
): Given {
  const { users, accounts, groupClouds, files, transfers, telegram } = services
  const record: RecordEntry = (viewer, entry) => log.record({ kind: 'VIEWER', viewer }, entry)
  return {
    ...services,
    users: { ...users, ...recordUsers(users, log) },
    accounts: { ...accounts, ...recordAccounts(accounts, record) },
    groupClouds: { ...groupClouds, ...recordGroupClouds(groupClouds, accounts, record) },
    files: { ...files, ...recordFiles(files, groupClouds, record) },
    transfers: { ...transfers, ...recordTransfers(transfers, record) },
    telegram: { ...telegram, ...recordTelegram(telegram, record) },
  }
}

type UsersReads = 'viewerOf' | 'isLive' | 'me'

/** Records signing in and out. */
function recordUsers(users: UsersService, log: ActivityRecorder): Changes<UsersService, UsersReads> {
  async function recordStart(signedIn: SignedIn, action: Action): Promise<SignedIn> {
    const viewer = await users.viewerOf(signedIn.token).catch(() => null)
    if (viewer) log.record({ kind: 'VIEWER', viewer }, { action })
    return signedIn
  }

  return {
    register: async (input, client) => recordStart(await users.register(input, client), 'SIGNED_UP'),
    async login(input, client) {
      const signedIn = await users.login(input, client).catch((error: unknown) => {
        // Whether the user exists is checked when the entry is written: the response must not take longer for existing
        // users.
        if (error instanceof UnauthenticatedError) {
          const { address, userAgent } = client
          log.record({ kind: 'CLAIMED', email: input.email, address, userAgent }, { action: 'SIGN_IN_REFUSED' })
        }
        throw error
      })
      return recordStart(signedIn, 'SIGNED_IN')
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

/** The changes of the accounts service, with recording. */
function recordAccounts(accounts: AccountsService, record: RecordEntry): Changes<AccountsService, AccountsReads> {
  const about = ({ id, name, provider }: Account): Pick<ActivityEntry, 'subject' | 'details'> => ({
    subject: { type: 'Account', id, name },
    details: { provider: accounts.providerName(provider) },
  })

  return {
    async connect(viewer, provider, input, origin) {
      const account = await accounts.connect(viewer, provider, input, origin)
      record(viewer, { action: 'ACCOUNT_CONNECTED', ...about(account) })
      return account
    },
    async reconnect(viewer, id, input, origin) {
      const account = await accounts.reconnect(viewer, id, input, origin)
      record(viewer, { action: 'ACCOUNT_RECONNECTED', ...about(account) })
      return account
    },
    async connectByForm(viewer, provider, input) {
      const account = await accounts.connectByForm(viewer, provider, input)
      record(viewer, { action: 'ACCOUNT_CONNECTED', ...about(account) })
      return account
    },
    async reconnectByForm(viewer, id, fields) {
      const account = await accounts.reconnectByForm(viewer, id, fields)
      record(viewer, { action: 'ACCOUNT_RECONNECTED', ...about(account) })
      return account
    },
    async update(viewer, id, patch) {
      const [before] = await accounts.getMany(viewer, [id])
      const account = await accounts.update(viewer, id, patch)
      if (before && (before.name !== account.name || before.hue !== account.hue)) {
        const details = { from: before.name, to: account.name }
        record(viewer, { action: 'ACCOUNT_CHANGED', ...about(account), details })
      }
      return account
    },
    async disconnect(viewer, id, force) {
      const [before] = await accounts.getMany(viewer, [id])
      await accounts.disconnect(viewer, id, force)
      if (before) record(viewer, { action: 'ACCOUNT_DISCONNECTED', ...about(before) })
    },
  }
}

type GroupCloudsReads = 'list' | 'getMany' | 'health' | 'roomWith' | 'previewPlacement' | 'previewPlacements'

/** The changes of the group clouds service, with recording. */
function recordGroupClouds(
  groupClouds: GroupCloudsService,
  accounts: Pick<AccountsService, 'getMany'>,
  record: RecordEntry,
): Changes<GroupCloudsService, GroupCloudsReads> {
  const once = createOnce()
  const about = ({ id, name }: GroupCloud): Pick<ActivityEntry, 'subject'> => ({
    subject: { type: 'GroupCloud', id, name },
  })

  return {
    async create(viewer, input, idempotencyKey) {
      const created = await groupClouds.create(viewer, input, idempotencyKey)
      const isNew = idempotencyKey === undefined || once(created.id)
      if (isNew) record(viewer, { action: 'GROUP_CLOUD_CREATED', ...about(created) })
      return created
    },
    async update(viewer, id, patch) {
      const [before] = await groupClouds.getMany(viewer, [id])
      const changed = await groupClouds.update(viewer, id, patch)
      const details = before && before.name !== changed.name ? { from: before.name } : {}
      record(viewer, { action: 'GROUP_CLOUD_CHANGED', ...about(changed), details })
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
        record(viewer, { action: 'MEMBER_DRAINED', subject, details })
      }
      return changed
    },
    async remove(viewer, id, files) {
      const [before] = await groupClouds.getMany(viewer, [id])
      await groupClouds.remove(viewer, id, files)
      if (before) record(viewer, { action: 'GROUP_CLOUD_DELETED', ...about(before) })
    },
  }
}

/** Pausing, resuming and retrying change no file and no location of one. */
type TransfersReads = 'list' | 'page' | 'getMany' | 'pause' | 'resume' | 'retry'

/** The changes of the transfers service, with recording. */
function recordTransfers(transfers: TransfersService, record: RecordEntry): Changes<TransfersService, TransfersReads> {
  return {
    async cancel(viewer, id) {
      const [before] = await transfers.getMany(viewer, [id])
      const transfer = await transfers.cancel(viewer, id)
      if (before?.state !== 'CANCELLED') {
        const subject = { type: 'File', id: transfer.fileId, name: transfer.fileName } as const
        record(viewer, { action: 'TRANSFER_CANCELLED', subject })
      }
      return transfer
    },
  }
}

type TelegramReads = 'list' | 'registrationCode'

/** The changes of the Telegram service, with recording. */
function recordTelegram(telegram: TelegramService, record: RecordEntry): Changes<TelegramService, TelegramReads> {
  const about = ({ id, name }: TelegramAccount): Pick<ActivityEntry, 'subject' | 'details'> => ({
    subject: { type: 'TelegramAccount', id, name },
    details: { provider: 'Telegram' },
  })

  return {
    async connect(viewer, input) {
      const account = await telegram.connect(viewer, input)
      record(viewer, { action: 'ACCOUNT_CONNECTED', ...about(account) })
      return account
    },
    async reconnect(viewer, id, code) {
      const account = await telegram.reconnect(viewer, id, code)
      record(viewer, { action: 'ACCOUNT_RECONNECTED', ...about(account) })
      return account
    },
  }
}
