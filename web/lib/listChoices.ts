import { useCallback } from 'react'
import { splitEnding } from './nameText.ts'
import { readStoredChoice, useStoredChoice } from './storedChoice.ts'

type Switched = [boolean, (isOn: boolean) => void]

type Named = { readonly name: string; readonly kind: string }

const ON_OFF = ['on', 'off'] as const

/** Whether folders come before files in every order. */
export const useFoldersFirst = (): Switched => useSwitch('folders-first')

/** The same outside of components. */
export const areFoldersFirst = (): boolean => readStoredChoice('folders-first', 'on', ON_OFF) === 'on'

/** Whether names are shown with their extensions (.pdf). */
export const useFileEndings = (): Switched => useSwitch('file-endings')

/** A file's name as lists show it: without its ending where the person chose so. Folders have no endings. */
export function useShownName(file: Named): string {
  const [areShown] = useFileEndings()
  return shownName(file, areShown)
}

/** The same for many files, whose list has read the choice. */
export const shownName = ({ name, kind }: Named, areEndingsShown: boolean): string =>
  areEndingsShown || kind === 'FOLDER' ? name : splitEnding(name).stem

function useSwitch(name: string): Switched {
  const [choice, keep] = useStoredChoice(name, 'on', ON_OFF)
  const set = useCallback((isOn: boolean) => keep(isOn ? 'on' : 'off'), [keep])
  return [choice === 'on', set]
}
