import { graphql, useFragment } from 'react-relay'
import type { CopyLane_copy$data, CopyLane_copy$key } from '../../__generated__/CopyLane_copy.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { hueStyle } from '../../ui/hue.ts'
import { ChangedThere } from './ChangedThere.tsx'
import styles from './Details.module.css'
import { counted } from './messages.ts'

const STATE_TEXT: Record<string, string> = { STORING: 'being stored', MISSING: 'missing' }

/** One copy as a bar: a part for each account, in proportion to its bytes, and the amounts below. */
export function CopyLane({ copy, number }: { copy: CopyLane_copy$key; number: number }) {
  const { id, state, changedAt, pieces } = useFragment(
    graphql`
      fragment CopyLane_copy on Copy {
        id
        state
        changedAt
        pieces {
          index
          size
          account { id name provider providerName glyph hue status }
        }
      }
    `,
    copy,
  )
  const shape = pieces.length === 1 ? 'Whole file' : counted(pieces.length, 'piece')
  const shares = sharesOf(pieces)
  const isCutOff = state === 'STORED' && pieces.some(({ account }) => account.status !== 'CONNECTED')
  return (
    <div>
      <p className="hstack meta mb-1.5 justify-between">
        <span className="strong">Copy {number}</span>
        <span className="subtle">
          {[shape, changedAt ? 'changed there' : isCutOff ? 'cannot be read now' : STATE_TEXT[state]]
            .filter(Boolean)
            .join(', ')}
        </span>
      </p>
      <div className={styles.lane} aria-hidden>
        {shares.map(({ size, account }) => (
          <i key={account.id} style={hueStyle(account.hue, { flex: Math.max(size, 1) })} />
        ))}
      </div>
      <ul className="mt-1.5">
        {shares.map(({ size, count, account }) => (
          <li key={account.id} className="hstack meta h-6">
            <AccountMark glyph={account.glyph} hue={account.hue} />
            <span className="grow ell">{accountLabel(account)}</span>
            <span className="subtle num">
              {shares.length > 1 && count > 1 && `${counted(count, 'piece')} · `}
              {formatBytes(size)}
            </span>
          </li>
        ))}
      </ul>
      {changedAt && (
        <ChangedThere copyId={id} accounts={shares.map(({ account }) => account.name)} whole={pieces.length === 1} />
      )}
    </div>
  )
}

type Piece = CopyLane_copy$data['pieces'][number]
type Share = { readonly account: Piece['account']; readonly size: number; readonly count: number }

/** A large file has many pieces; they are summed up per account. */
function sharesOf(pieces: readonly Piece[]): Share[] {
  const shares = new Map<string, Share>()
  for (const { account, size } of pieces) {
    const share = shares.get(account.id) ?? { account, size: 0, count: 0 }
    shares.set(account.id, { account, size: share.size + size, count: share.count + 1 })
  }
  return [...shares.values()]
}
