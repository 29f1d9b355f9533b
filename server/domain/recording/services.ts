import type { Account, AccountsService } from '../accounts/contract.ts'
import type { Action, ActivityEntry } from '../activity/contract.ts'
import type { ActivityRecorder } from '../activity/log.ts'
import { UnauthenticatedError } from '../errors.ts'
import type { File } from '../files/contract.ts'
import type { GroupCloud, GroupCloudsService } from '../groupClouds/contract.ts'
import type { InPlaceService, ShownInput } from '../inPlace/service.ts'
import type { ProtectionService } from '../protection/contract.ts'
import type { Services } from '../services.ts'
import type { TelegramAccount, TelegramService } from '../telegram/service.ts'
import type { TransfersService } from '../transfers/contract.ts'
import type { SignedIn, UsersService } from '../users/contract.ts'
import type { VersionsService } from '../versions/service.ts'
import type { Viewer } from '../viewer.ts'
import { type Changes, createOnce, type RecordEntry, recordFiles } from './files.ts'

/** The services whose changes are recorded here; every other service records its own, or changes nothing. */
type RecordedHere =
  | 'users'
  | 'accounts'
  | 'groupClouds'
  | 'files'
  | 'transfers'
  | 'telegram'
  | 'inPlace'
  | 'protection'
  | 'versions'

/**
 * Wraps the services so that their changes are recorded. Each wrapper lists the methods that only read; all others must
 * be wrapped.
 */
export function recordServices<Given extends Pick<Services, RecordedHere | 'tags'>>(
  services: Given,
  log: ActivityRecorder,
): Given {
  const { users, accounts, groupClouds, files, tags, transfers, telegram, inPlace, protection, versions } = services
  const record: RecordEntry = (viewer, entry) => log.record({ kind: 'VIEWER', viewer }, entry)
  return {
    ...services,
    users: { ...users, ...recordUsers(users, log) },
    accounts: { ...accounts, ...recordAccounts(accounts, record) },
    groupClouds: { ...groupClouds, ...recordGroupClouds(groupClouds, accounts, record) },
    files: { ...files, ...recordFiles(files, { groupClouds, tags }, record) },
    transfers: { ...transfers, ...recordTransfers(transfers, record) },
    telegram: { ...telegram, ...recordTelegram(telegram, record) },
    protection: { ...protection, ...recordProtection(services, record) },
    versions: { ...versions, ...recordVersions(services, record) },
    inPlace: { ...inPlace, ...recordInPlace(inPlace, accounts, record) },
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
  | 'testForm'
  | 'formValues'

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
    async disconnect(viewer, id, force, keepProtected) {
      const [before] = await accounts.getMany(viewer, [id])
      await accounts.disconnect(viewer, id, force, keepProtected)
      if (before) record(viewer, { action: 'ACCOUNT_DISCONNECTED', ...about(before) })
    },
  }
}

/** The first scope belongs to connecting; the others change nothing that is shown without the account's own report. */
type InPlaceReads =
  | 'indexes'
  | 'targets'
  | 'shortcut'
  | 'showable'
  | 'roots'
  | 'shownRoots'
  | 'setFirstScope'
  | 'refresh'
  | 'decideDeletions'

/** The choices of what is shown of accounts, with recording. */
function recordInPlace(
  inPlace: InPlaceService,
  accounts: Pick<AccountsService, 'getMany'>,
  record: RecordEntry,
): Changes<InPlaceService, InPlaceReads> {
  async function setShown(viewer: Viewer, accountId: string, input: ShownInput) {
    const changed = await inPlace.setShown(viewer, accountId, input)
    const { scope, shown, hidden } = changed
    const [account] = await accounts.getMany(viewer, [accountId]).catch(() => [])
    const details = {
      ...(scope !== null && { scope }),
      ...(shown.length > 0 && { shown: shown.join(', ') }),
      ...(hidden.length > 0 && { hidden: hidden.join(', ') }),
    }
    if (account && Object.keys(details).length > 0) {
      const subject = { type: 'Account', id: accountId, name: account.name } as const
      record(viewer, { action: 'ACCOUNT_CONTENT_CHOSEN', subject, details })
    }
    return changed
  }
  return {
    setShown,
    async setScope(viewer, accountId, scope) {
      await setShown(viewer, accountId, { scope })
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
    async remove(viewer, id, files, idempotencyKey) {
      const [before] = await groupClouds.getMany(viewer, [id])
      await groupClouds.remove(viewer, id, files, idempotencyKey)
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

type ProtectionReads = 'find' | 'count' | 'earlierVersions'

/** The changes of the protection service, with recording. */
function recordProtection(
  { protection, files, groupClouds }: Pick<Services, 'protection' | 'files' | 'groupClouds'>,
  record: RecordEntry,
): Changes<ProtectionService, ProtectionReads> {
  return {
    async protect(viewer, id, input) {
      const info = await protection.protect(viewer, id, input)
      const [{ name }, [groupCloud]] = await Promise.all([
        files.get(viewer, id),
        groupClouds.getMany(viewer, [info.groupCloudId]),
      ])
      const details: Record<string, string> = groupCloud ? { groupCloud: groupCloud.name } : {}
      record(viewer, { action: 'FOLDER_PROTECTED', subject: { type: 'File', id, name }, details })
      return info
    },
    async unprotect(viewer, id) {
      await protection.unprotect(viewer, id)
      const { name } = await files.get(viewer, id)
      record(viewer, { action: 'FOLDER_UNPROTECTED', subject: { type: 'File', id, name } })
    },
    async restore(viewer, versionId) {
      const restored = await protection.restore(viewer, versionId)
      const { fileId: id, name } = restored
      record(viewer, { action: 'VERSION_RESTORED', subject: { type: 'File', id, name } })
      return restored
    },
  }
}

type VersionsReads = 'list' | 'page' | 'limits' | 'setLimits' | 'usage'

/** The changes of the versions of files, with recording. */
function recordVersions(
  { versions, files }: Pick<Services, 'versions' | 'files'>,
  record: RecordEntry,
): Changes<VersionsService, VersionsReads> {
  const once = createOnce()
  const about = ({ id, name }: Pick<File, 'id' | 'name'>) => ({ subject: { type: 'File', id, name } as const })
  return {
    /** A download in many ranges is recorded once; displaying a version is not recorded. */
    async open(viewer, id, options) {
      const opened = await versions.open(viewer, id)
      const isKept = options?.toKeep && once(`${viewer.key?.id ?? viewer.sessionId} ${id}`)
      if (isKept) record(viewer, { action: 'FILE_DOWNLOADED', ...about(opened.file) })
      return opened
    },
    async restore(viewer, id) {
      const restored = await versions.restore(viewer, id)
      if (restored.previousId !== null) record(viewer, { action: 'VERSION_RESTORED', ...about(restored.file) })
      return restored
    },
    async remove(viewer, id) {
      const removed = await versions.remove(viewer, id)
      record(viewer, { action: 'VERSION_DELETED', ...about(await files.get(viewer, removed.fileId)) })
      return removed
    },
    async write(viewer, fileId, input, body) {
      const file = await versions.write(viewer, fileId, input, body)
      record(viewer, { action: 'FILE_EDITED', ...about(file) })
      return file
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
