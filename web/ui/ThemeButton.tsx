import { SunMoon } from 'lucide-react'
import { sharedMessages } from '../lib/messages.ts'
import { chooseTheme, useTheme } from '../lib/theme.ts'
import { IconButton } from './IconButton.tsx'

/** Switches between light and dark; the label says where the press leads. */
export function ThemeButton() {
  const isDark = useTheme() === 'dark'
  return (
    <IconButton
      label={isDark ? sharedMessages.theme.toLight : sharedMessages.theme.toDark}
      icon={SunMoon}
      onClick={() => chooseTheme(isDark ? 'light' : 'dark')}
    />
  )
}
