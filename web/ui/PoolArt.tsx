import { sharedMessages } from '../lib/messages.ts'
import { AccountMark } from './AccountMark.tsx'
import { hueStyle } from './hue.ts'
import styles from './PoolArt.module.css'
import poolBarStyles from './PoolBar.module.css'

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
    <div className={styles.authArt} aria-hidden>
      <div className={styles.grid} style={{ gridTemplateColumns: COLUMNS }}>
        {ACCOUNTS.map((account, index) => (
          <ArtColumn key={account.name} {...account} column={index + 1} />
        ))}
      </div>
      <p className="mt-10 text-title font-semibold">{sharedMessages.art.title}</p>
      <p className="mt-1 max-w-[44ch] text-body text-fg-muted">{sharedMessages.art.text}</p>
    </div>
  )
}

type ColumnProps = (typeof ACCOUNTS)[number] & { column: number }

function ArtColumn({ glyph, name, hue, used, column }: ColumnProps) {
  const segment = hueStyle(hue, { '--u': `${used}%` })
  return (
    <>
      <span className={styles.label} style={{ gridColumn: column, gridRow: column }}>
        <span className="hstack">
          <AccountMark glyph={glyph} hue={hue} />
          <span className="meta strong">{name}</span>
        </span>
        <span className={`${poolBarStyles.pool} ${poolBarStyles.height12} mt-2`}>
          <span className={poolBarStyles.segment} style={segment} />
        </span>
      </span>
      <i className={styles.divider} style={{ gridColumn: column, gridRow: `${column} / 5` }} />
      <span
        className={`${poolBarStyles.segment} ${styles.bar}`}
        style={{ ...segment, gridColumn: column, gridRow: 5 }}
      />
    </>
  )
}
