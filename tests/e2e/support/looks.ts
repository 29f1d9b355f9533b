const LIGHT_WIDE = { theme: 'light', width: 1440, height: 900 } as const
const DARK_NARROW = { theme: 'dark', width: 390, height: 844 } as const
const ALL = [
  LIGHT_WIDE,
  { theme: 'dark', width: 1440, height: 900 },
  { theme: 'light', width: 390, height: 844 },
  DARK_NARROW,
] as const

/** How every screen is looked at: each theme and each width once, or with LOOKS=all each theme in each width. */
export const LOOKS = (process.env.LOOKS === 'all' ? ALL : [LIGHT_WIDE, DARK_NARROW]).map(
  ({ theme, width, height }) => ({
    theme,
    width,
    label: `${theme}-${width}`,
    options: { colorScheme: theme, viewport: { width, height }, reducedMotion: 'reduce' as const },
  }),
)
