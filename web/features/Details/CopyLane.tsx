import { graphql, useFragment } from 'react-relay'
import type { CopyLane_copy$key } from '../../__generated__/CopyLane_copy.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { hueStyle } from '../../ui/hue.ts'
import { counted } from './words.ts'

const STATE_WORDS: Record<string, string> = { STORING: ', being stored', MISSING: ', missing' }

/** One copy, cut into its pieces in proportion to their bytes, and below it who holds which. */
export function CopyLane({ copy, number }: { copy: CopyLane_copy$key; number: number }) {
  const { state, pieces } = useFragment(
    graphql`
      fragment CopyLane_copy on Copy {
        state
        pieces {
          index
          size
          account { id name provider hue }
        }
      }
    `,
    copy,
  )
  const shape = pieces.length === 1 ? 'Whole file' : counted(pieces.length, 'piece')
  return (
    <div>
      <p className="hstack meta mb-1.5 justify-between">
        <span className="strong">Copy {number}</span>
        <span className="subtle">{shape + (STATE_WORDS[state] ?? '')}</span>
      </p>
      <div className="lane" aria-hidden>
        {pieces.map(({ index, size, account }) => (
          <i key={index} style={hueStyle(account.hue, { flex: Math.max(size, 1) })} />
        ))}
      </div>
      <ul className="mt-1.5">
        {pieces.map(({ index, size, account }) => (
          <li key={index} className="hstack meta h-6">
            <AccountMark provider={account.provider} hue={account.hue} />
            <span className="grow ell">{account.name}</span>
            <span className="subtle num">{formatBytes(size)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
