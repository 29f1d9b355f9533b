import { Moon, Sun } from 'lucide-react'
import { messages } from '../lib/messages.ts'
import { chooseTheme, useTheme } from '../lib/theme.ts'
import { IconButton } from './IconButton.tsx'

/** Switches between light and dark; shows where the press leads. */
export function ThemeButton() {
  const isDark = useTheme() === 'dark'
  return (
    <IconButton
      label={isDark ? messages.theme.toLight : messages.theme.toDark}
      icon={isDark ? Sun : Moon}
      onClick={() => chooseTheme(isDark ? 'light' : 'dark')}
    />
  )
}
