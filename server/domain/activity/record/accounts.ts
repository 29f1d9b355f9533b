import type { ActivityEntry } from '../../services/activity.ts'
import type { Account, AccountsService } from '../../services.ts'
import type { Changes, Say } from './say.ts'

type Reads =
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
export function recordAccounts(accounts: AccountsService, say: Say): Changes<AccountsService, Reads> {
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
