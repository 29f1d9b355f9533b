import { Check, Moon, Sun } from 'lucide-react'
import { announce } from '../../lib/announce.ts'
import { cx } from '../../lib/cx.ts'
import { chooseTheme, followSystemTheme, type Theme, useChosenTheme, useTheme } from '../../lib/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import poolBarStyles from '../../ui/PoolBar.module.css'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'
import styles from './Settings.module.css'

const { appearance } = messages

/** Light or dark; follows the system until one is chosen, or again on request. */
export function Appearance() {
  const isChosen = useChosenTheme() !== null
  const follow = () => {
    followSystemTheme()
    announce(appearance.following)
  }
  return (
    <Section
      title={appearance.title}
      text={appearance.text}
      action={
        isChosen && (
          <Button size="sm" onClick={follow}>
            {appearance.followSystem}
          </Button>
        )
      }
    >
      <div className={styles.themes}>
        <ThemeChoice theme="light" />
        <ThemeChoice theme="dark" />
      </div>
    </Section>
  )
}

function ThemeChoice({ theme }: { theme: Theme }) {
  const isShown = useTheme() === theme
  const isDark = theme === 'dark'
  return (
    <button
      type="button"
      className={cx(styles.theme, isDark ? 'dark' : 'light')}
      aria-pressed={isShown}
      onClick={() => chooseTheme(theme)}
    >
      <Miniature />
      <span className={styles.caption}>
        <Icon icon={isDark ? Moon : Sun} />
        <span className="grow">{isDark ? appearance.dark : appearance.light}</span>
        {isShown && <Icon icon={Check} className="t-accent" />}
      </span>
    </button>
  )
}

const SEGMENTS = [
  { hue: 1, used: 64, width: 3 },
  { hue: 2, used: 80, width: 3 },
  { hue: 3, used: 40, width: 2 },
]
const ROWS = [70, 52, 61, 46]
const CHOSEN_ROW = 52

/** The file manager in a few strokes, in the theme of its button. */
function Miniature() {
  return (
    <span className={styles.mini} aria-hidden>
      <span className={styles.miniSide}>
        <i className={styles.accent} />
        <i />
        <i />
        <i />
      </span>
      <span className={styles.miniMain}>
        <span className={`${poolBarStyles.pool} ${poolBarStyles.height6}`}>
          {SEGMENTS.map(({ hue, used, width }) => (
            <span
              key={hue}
              className={poolBarStyles.segment}
              style={
                { '--h': `var(--hue-${hue})`, '--u': `${used}%`, flexGrow: width } as Record<string, string | number>
              }
            />
          ))}
        </span>
        {ROWS.map((width) => (
          <span key={width} className={cx(styles.miniRow, width === CHOSEN_ROW && styles.on)}>
            <i style={{ width: `${width}%` }} />
          </span>
        ))}
      </span>
    </span>
  )
}
