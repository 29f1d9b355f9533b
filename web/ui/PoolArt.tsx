import { messages } from '../lib/messages.ts'
import { AccountMark } from './AccountMark.tsx'
import { hueStyle } from './hue.ts'

/** Four accounts of the picture; `width` is in shares of the whole bar, `used` in percent. */
const ACCOUNTS = [
  { glyph: 'TRIANGLE', name: 'Google Drive', hue: 1, width: 34, used: 64 },
  { glyph: 'DIAMOND', name: 'Dropbox', hue: 2, width: 34, used: 82 },
  { glyph: 'CLOUD', name: 'OneDrive', hue: 3, width: 18, used: 38 },
  { glyph: 'RING', name: 'pCloud', hue: 7, width: 14, used: 58 },
] as const

const COLUMNS = ACCOUNTS.map(({ width }) => `${width}fr`).join(' ')

/** Accounts, each with its own bar, come together in one. Decoration. */
export function PoolArt() {
  return (
    <div className="auth-art" aria-hidden>
      <div className="artg" style={{ gridTemplateColumns: COLUMNS }}>
        {ACCOUNTS.map((account, index) => (
          <ArtColumn key={account.name} {...account} column={index + 1} />
        ))}
      </div>
      <p className="mt-10 text-title font-semibold">{messages.art.title}</p>
      <p className="mt-1 max-w-[44ch] text-body text-fg-muted">{messages.art.text}</p>
    </div>
  )
}

type ColumnProps = (typeof ACCOUNTS)[number] & { column: number }

function ArtColumn({ glyph, name, hue, used, column }: ColumnProps) {
  const segment = hueStyle(hue, { '--u': `${used}%` })
  return (
    <>
      <span className="artl" style={{ gridColumn: column, gridRow: column }}>
        <span className="hstack">
          <AccountMark glyph={glyph} hue={hue} />
          <span className="meta strong">{name}</span>
        </span>
        <span className="pool p12 mt-2">
          <span className="seg" style={segment} />
        </span>
      </span>
      <i className="artd" style={{ gridColumn: column, gridRow: `${column} / 5` }} />
      <span className="seg artb" style={{ ...segment, gridColumn: column, gridRow: 5 }} />
    </>
  )
}
