import { readFileSync } from 'node:fs'

/** A file of the web client on the way from a button to the commit of its mutation, and how it calls the next. */
export type Step = { readonly path: string; readonly calls: string }

/** From the button that moves the selected files to the trash. A module that only exports others is not met: editors jump over it. */
export const BUTTON_TO_COMMIT: readonly Step[] = [
  { path: 'web/screens/Files/selection/SelectionBar.tsx', calls: 'onClick={() => void actions.trash(ids)}' },
  { path: 'web/screens/Files/actions/useFileActions.ts', calls: '(await mutations()).trashFiles(environment, part)' },
  { path: 'web/features/FileChanges/runForAll.ts', calls: 'await act(part)' },
  { path: 'web/features/FileChanges/trashFiles.ts', calls: 'await runMutation<trashFilesMutation>(' },
  { path: 'web/relay/runMutation.ts', calls: 'commitMutation<M>(environment' },
]

/** @throws Error when one does not call the next as it says: then there may be another file in between */
export function checkSteps(steps: readonly Step[]): void {
  for (const { path, calls } of steps) {
    if (!readFileSync(path, 'utf8').includes(calls)) throw new Error(`${path} does not contain "${calls}" any more.`)
  }
}
