import {
  Aperture,
  Box,
  CircleDotDashed,
  Cloud,
  Cylinder,
  Diamond,
  GitBranch,
  Globe,
  type LucideIcon,
  Send,
  Server,
  Shield,
  SquareTerminal,
  Triangle,
} from 'lucide-react'
import { cx } from '../lib/cx.ts'
import styles from './AccountMark.module.css'
import { hueStyle } from './hue.ts'
import { Icon } from './Icon.tsx'

/** By `ProviderGlyph` of the server. */
const GLYPHS: Record<string, LucideIcon> = {
  TRIANGLE: Triangle,
  DIAMOND: Diamond,
  CLOUD: Cloud,
  BOX: Box,
  BRANCH: GitBranch,
  TERMINAL: SquareTerminal,
  GLOBE: Globe,
  CYLINDER: Cylinder,
  APERTURE: Aperture,
  SHIELD: Shield,
  RING: CircleDotDashed,
  SERVER: Server,
  SEND: Send,
}

type Props = {
  /** The provider's, as the server says. */
  glyph: string
  /** The account's hue; 0 is this server. */
  hue: number
  /** Accessible name; leave it out where the name is next to the mark. */
  label?: string
  size?: 20 | 24 | 32 | 40
}

const SIZE = { 20: '', 24: styles.size24, 32: styles.size32, 40: styles.size40 }

/** The glyph is the provider, the hue is the account. */
export function AccountMark({ glyph, hue, label, size = 20 }: Props) {
  const named = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true }
  return (
    <span {...named} className={cx(styles.mark, SIZE[size])} style={hueStyle(hue)}>
      <Icon icon={GLYPHS[glyph] ?? Cloud} />
    </span>
  )
}
