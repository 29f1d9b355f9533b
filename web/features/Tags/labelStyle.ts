import { Circle, type LucideIcon, type LucideProps, Tag } from 'lucide-react'
import { type CSSProperties, createElement, forwardRef } from 'react'

/** The colour of a tag or folder as the text colour. */
export const labelStyle = (color: string): CSSProperties => ({ color: `var(--label-${color.toLowerCase()})` })

const icons = new Map<string, LucideIcon>()

/** A dot in a colour, as the icon of a menu item; without a colour: a tag. The same for each call with the same colour. */
export function labelIcon(color: string | null): LucideIcon {
  if (color === null) return Tag
  const known = icons.get(color)
  if (known) return known
  const icon = forwardRef<SVGSVGElement, LucideProps>((props, ref) =>
    createElement(Circle, { ...props, ref, style: { ...labelStyle(color), fill: 'currentColor' } }),
  ) as LucideIcon
  icons.set(color, icon)
  return icon
}
