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
import { hueStyle } from './hue.ts'
import { Icon } from './Icon.tsx'

const GLYPHS: Record<string, LucideIcon> = {
  'google-drive': Triangle,
  dropbox: Diamond,
  onedrive: Cloud,
  mega: Shield,
  'amazon-s3': Cylinder,
  github: GitBranch,
  pcloud: CircleDotDashed,
  box: Box,
  'google-photos': Aperture,
  sftp: SquareTerminal,
  telegram: Send,
  webdav: Globe,
  local: Server,
}

type Props = {
  /** The provider's id; its glyph. */
  provider: string
  /** The account's hue; 0 is this server. */
  hue: number
  /** Accessible name; leave it out where the name stands beside the mark. */
  label?: string
  size?: 20 | 24 | 32 | 40
}

/** The glyph is the provider, the hue is the account. */
export function AccountMark({ provider, hue, label, size = 20 }: Props) {
  const named = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true }
  return (
    <span {...named} className={cx('mark', size !== 20 && `m${size}`)} style={hueStyle(hue)}>
      <Icon icon={GLYPHS[provider] ?? Cloud} />
    </span>
  )
}
