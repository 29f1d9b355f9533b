import { accountLabel } from '../../lib/accountLabel.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatRelative } from '../../lib/formatDate.ts'
import { nameText } from '../../lib/nameText.ts'
import { messages } from './messages.ts'
import { freeBytes, type StorageAccount } from './storage.ts'

/** From this part on an account counts as nearly full. */
const NEARLY_FULL_PERCENT = 80

export type Remedy =
  | { readonly kind: 'reconnect'; readonly account: { readonly id: string; readonly provider: string } }
  | { readonly kind: 'link'; readonly to: string; readonly label: string }
  | { readonly kind: 'retry'; readonly transferIds: readonly string[] }

export type AttentionItem = {
  readonly id: string
  readonly tone: 'warning' | 'quiet'
  readonly title: string
  readonly text: string
  readonly remedy: Remedy
}

export type AttentionData = {
  readonly accounts: readonly (StorageAccount & { readonly atRiskFiles: number })[]
  readonly atRisk: { readonly files: number; readonly first: readonly { readonly name: string }[] }
  readonly transfers: readonly {
    readonly id: string
    readonly state: string
    readonly error: string | null | undefined
  }[]
}

type Account = AttentionData['accounts'][number]

/** Problems, the most severe first, each with its remedy. */
export function attentionOf({ accounts, atRisk, transfers }: AttentionData): AttentionItem[] {
  return [
    ...accounts.filter(({ status }) => status === 'EXPIRED').map(expired),
    ...accounts.filter(isUnreachable).map(unreachable),
    ...(atRisk.files > 0 ? [filesAtRisk(atRisk)] : []),
    ...stopped(transfers),
    ...accounts.filter(isNearlyFull).map(nearlyFull),
  ]
}

function expired(account: Account): AttentionItem {
  const { id, provider, atRiskFiles } = account
  const title = messages.hasExpired(accountLabel(account))
  return {
    id,
    tone: 'warning',
    title,
    text: messages.expiredRisk(atRiskFiles),
    remedy: { kind: 'reconnect', account: { id, provider } },
  }
}

const isUnreachable = ({ status, unreachableSince }: Account) => status === 'CONNECTED' && unreachableSince != null

function unreachable(account: Account): AttentionItem {
  const title = messages.cannotBeReached(accountLabel(account))
  const text = messages.unreachableRisk(formatRelative(account.unreachableSince ?? ''), account.atRiskFiles)
  const remedy = { kind: 'link', to: '/cloud-integration', label: messages.showAccounts } as const
  return { id: account.id, tone: 'warning', title, text, remedy }
}

function filesAtRisk({ files, first }: AttentionData['atRisk']): AttentionItem {
  const names = first.slice(0, 2).map(({ name }) => `“${nameText(name)}”`)
  const listed = names.join(', ')
  const text = files > names.length ? `${listed}, …` : messages.suchAs(listed)
  const remedy = { kind: 'link', to: '/file-manager?state=at-risk', label: messages.showFiles } as const
  return { id: 'at-risk', tone: 'warning', title: messages.filesAtRisk(files), text, remedy }
}

function stopped(transfers: AttentionData['transfers']): AttentionItem[] {
  const stuck = transfers.filter(({ state }) => state === 'PARKED' || state === 'FAILED')
  if (stuck.length === 0) return []
  const text = stuck.find(({ error }) => error)?.error ?? ''
  const remedy = { kind: 'retry', transferIds: stuck.map(({ id }) => id) } as const
  return [{ id: 'stopped', tone: 'warning', title: messages.stopped(stuck.length), text, remedy }]
}

function percentOf({ usedBytes, reservedBytes, totalBytes }: Account['quota']): number {
  if (totalBytes == null) return 0
  return totalBytes === 0 ? 100 : Math.floor(((usedBytes + reservedBytes) / totalBytes) * 100)
}

const isNearlyFull = ({ status, quota }: Account) => status === 'CONNECTED' && percentOf(quota) >= NEARLY_FULL_PERCENT

function nearlyFull(account: Account): AttentionItem {
  const free = freeBytes(account.quota)
  const title = messages.isFull(accountLabel(account), percentOf(account.quota))
  const text = free > 0 ? messages.left(formatBytes(free)) : messages.nothingLeft
  const remedy = { kind: 'link', to: '/cloud-integration', label: messages.addStorage } as const
  return { id: `full ${account.id}`, tone: 'quiet', title, text, remedy }
}
