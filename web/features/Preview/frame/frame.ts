import { type FrameAnswer, type FrameFailure, PASSED_KEYS, type Theme } from './protocol.ts'

/** Why a frame draws nothing, where there is more to say than that the content is broken. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
  constructor(readonly failure: FrameFailure) {
    super(failure)
  }
}

/** To the page that embeds the frame. */
export const tell = (answer: FrameAnswer): void => window.parent.postMessage(answer, '*')

/** Runs in a frame: waits for the one document, draws it, and passes on keys of the preview. */
export function runFrame<Task>(draw: (task: Task) => Promise<void>): void {
  let isStarted = false
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || isStarted) return
    isStarted = true
    const task = data as Task & Theme
    document.documentElement.classList.toggle('dark', task.isDark)
    draw(task).then(
      () => tell({ kind: 'shown' }),
      (error: unknown) => tell({ kind: error instanceof FrameError ? error.failure : 'failed' }),
    )
  })
  document.addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey }) => {
    if (PASSED_KEYS.includes(key) && !ctrlKey && !metaKey && !altKey) tell({ kind: 'key', key })
  })
  tell({ kind: 'ready' })
}

/** A stylesheet of the frame: its policy allows those that are written into the page, and none from an address. */
export function addStyle(css: string): void {
  const style = document.createElement('style')
  style.textContent = css
  document.head.append(style)
}

/** Colours of the stage and of paper; paper is dimmed in dark. */
export const STAGE_CSS = `
  :root { color-scheme: light; --stage: #f5f8f9; --paper: #fff; --line: #d7dddf; }
  :root.dark { --stage: #0b1012; --paper: #d9dee0; --line: #2c383c; }
  html, body { margin: 0; background: var(--stage); }
`
