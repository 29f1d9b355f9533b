import { Suspense, useState } from 'react'
import type { AccountCard_account$data } from '../../__generated__/AccountCard_account.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { Button } from '../../ui/Button.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { PoolBar } from '../../ui/PoolBar.tsx'
import { describeSegment } from '../../ui/poolText.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { messages } from './messages.ts'

const CapacityDialog = lateDialog(() => import('./CapacityDialog.tsx').then((file) => file.CapacityDialog))

type Usage = Pick<NonNullable<AccountCard_account$data>, 'id' | 'name' | 'hue' | 'status' | 'quota' | 'capacityBytes'>

/** How full an account is, in figures and as a bar; a skeleton while the provider is queried. */
export function AccountUsage({ account, isReading }: { account: Usage; isReading: boolean }) {
  const { id, name, hue, status, quota, capacityBytes } = account
  const [isOpen, setOpen] = useState(false)
  if (isReading) {
    return (
      <div className="mt-5">
        <div className="hstack mb-2 h-4 justify-between">
          <Skeleton width={120} />
          <Skeleton width={56} />
        </div>
        <Skeleton height={8} />
      </div>
    )
  }
  const { usedBytes, reservedBytes, totalBytes } = quota
  const used = formatBytes(usedBytes)
  const total = totalBytes == null ? null : formatBytes(totalBytes)
  const figures = { id, name, hue, usedBytes, reservedBytes, totalBytes }
  const segment = status === 'EXPIRED' ? { ...figures, state: 'expired' as const } : figures
  return (
    <div className="mt-5">
      <div className="hstack meta num mb-2 justify-between">
        <span className="muted">
          {total === null ? (
            <>
              <span className="strong">{used}</span> used
            </>
          ) : (
            <>
              <span className="strong">{used}</span> of {total}
            </>
          )}
        </span>
        <span className="subtle">{status === 'EXPIRED' ? messages.lastKnown : capacity(quota)}</span>
      </div>
      <PoolBar segments={[segment]} label={describeSegment(segment)} />
      {(capacityBytes != null || totalBytes == null) && (
        <div className="hstack mt-2 justify-between">
          <span className="meta subtle">{capacityBytes == null ? messages.noCapacity : messages.capacitySetByYou}</span>
          <Button size="sm" variant="ghost" aria-label={messages.capacityLabel(name)} onClick={() => setOpen(true)}>
            {capacityBytes == null ? messages.setCapacity : messages.changeCapacity}
          </Button>
        </div>
      )}
      {isOpen && (
        <Suspense>
          <CapacityDialog accountId={id} name={name} bytes={capacityBytes ?? null} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}

function capacity({ state, usedBytes, totalBytes }: Usage['quota']): string {
  if (state === 'UNLIMITED') return messages.unlimited
  if (totalBytes == null) return messages.unknown
  return messages.percentUsed(totalBytes === 0 ? 100 : Math.min(100, Math.round((usedBytes / totalBytes) * 100)))
}
