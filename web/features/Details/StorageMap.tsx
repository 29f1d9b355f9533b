import { Check, type LucideIcon, RefreshCw, TriangleAlert } from 'lucide-react'
import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { StorageMap_file$data, StorageMap_file$key } from '../../__generated__/StorageMap_file.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { Badge } from '../../ui/Badge.tsx'
import { PoolBar, UNKNOWN_WIDTH } from '../../ui/PoolBar.tsx'
import { describePool, type PoolSegment } from '../../ui/poolText.ts'
import reasonStyles from '../../ui/Reason.module.css'
import { CopyLane } from './CopyLane.tsx'
import styles from './Details.module.css'

/** The pool with carets under the accounts that hold the file, one lane per copy, and the reasons as text. */
export function StorageMap({ file }: { file: StorageMap_file$key }) {
  const data = useFragment(
    graphql`
      fragment StorageMap_file on File {
        state
        stateReason
        storedIn { id }
        account { name }
        copies {
          id
          state
          why
          pieces { account { id status } }
          ...CopyLane_copy
        }
        groupCloud {
          name
          quota { totalBytes freeBytes }
          members {
            account { id name hue status quota { usedBytes totalBytes reservedBytes } }
          }
        }
      }
    `,
    file,
  )
  const { account, groupCloud, copies } = data
  if (account) return <InAccount name={account.name} />
  const whys = copies.map(({ why }, index) => (why && copies.length > 1 ? `Copy ${index + 1}: ${why}` : why))
  const reasons = [data.stateReason, ...whys].flatMap((reason) => (reason ? [sentence(reason)] : []))
  return (
    <section className={styles.section} aria-label="Where it is stored">
      <header>
        <h3 className="h3">Where it is stored</h3>
        <StateBadge state={data.state} copies={copies.filter(canBeRead).length} />
      </header>
      {groupCloud && <Pool groupCloud={groupCloud} holders={data.storedIn.map(({ id }) => id)} />}
      {copies.length > 0 && (
        <div className={`${styles.lanes} mt-5`}>
          {copies.map((copy, index) => (
            <CopyLane key={copy.id} copy={copy} number={index + 1} />
          ))}
        </div>
      )}
      {reasons.length > 0 && <p className={reasonStyles.reason}>{reasons.join(' ')}</p>}
    </section>
  )
}

/** Copies of which a part is in an account that has expired do not count. */
const canBeRead = ({ state, pieces }: StorageMap_file$data['copies'][number]) =>
  state === 'STORED' && pieces.every(({ account }) => account.status === 'CONNECTED')

/** An entry that an account has under its own name: Skypool has no copies of it. */
function InAccount({ name }: { name: string }) {
  return (
    <section className={styles.section} aria-label="Where it is stored">
      <header>
        <h3 className="h3">Where it is stored</h3>
      </header>
      <p className={reasonStyles.reason}>In the account {name}, under its own name. Changes here are made there.</p>
    </section>
  )
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

type Look = readonly ['success' | 'accent' | 'warning', LucideIcon, string]

function StateBadge({ state, copies }: { state: string; copies: number }) {
  const looks: Record<string, Look> = {
    STORED: ['success', Check, copies > 1 ? `Stored, ${copies} copies` : 'Stored'],
    RECEIVED: ['accent', RefreshCw, 'Received'],
    STORING: ['accent', RefreshCw, 'Storing'],
    AT_RISK: ['warning', TriangleAlert, 'At risk'],
  }
  const [tone, icon, word] = looks[state] ?? (['warning', TriangleAlert, 'Unknown'] as const)
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  )
}

type PoolProps = {
  readonly groupCloud: NonNullable<StorageMap_file$data['groupCloud']>
  readonly holders: readonly string[]
}

function Pool({ groupCloud: { name, members, quota }, holders }: PoolProps) {
  const segments = members.map(({ account }): PoolSegment => {
    const { id, hue, status } = account
    const { usedBytes, reservedBytes, totalBytes = null } = account.quota
    const segment = { id, name: account.name, hue, usedBytes, reservedBytes, totalBytes }
    return status === 'EXPIRED' ? { ...segment, state: 'expired' } : segment
  })
  return (
    <>
      <PoolBar segments={segments} label={describePool(segments)} />
      <div className={styles.pins} aria-hidden>
        {segments.map(({ id, totalBytes }) => (
          <i
            key={id}
            className={holders.includes(id) ? styles.on : ''}
            style={{ flexGrow: totalBytes ?? UNKNOWN_WIDTH }}
          />
        ))}
      </div>
      <p className="hstack meta mt-1.5 justify-between">
        <Link className="link ell" to="/group-cloud">
          {name}
        </Link>
        <span className="subtle num flex-none">
          {quota.freeBytes == null ? 'Free space unknown' : `${formatBytes(quota.freeBytes)} free`}
          {quota.freeBytes != null && quota.totalBytes != null && ` of ${formatBytes(quota.totalBytes)}`}
        </span>
      </p>
    </>
  )
}
