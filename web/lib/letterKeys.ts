import { useCallback } from 'react'
import { useStoredChoice } from './storedChoice.ts'

/** Whether single letters are commands (WCAG 2.1.4: it can be turned off). */
export function useLetterKeys(): [boolean, (isOn: boolean) => void] {
  const [choice, keep] = useStoredChoice('single-keys', 'on', ['on', 'off'])
  const set = useCallback((isOn: boolean) => keep(isOn ? 'on' : 'off'), [keep])
  return [choice === 'on', set]
}
