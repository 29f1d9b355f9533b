import { type FrameAnswer, type FrameTask, PASSED_KEYS } from './protocol.ts'

/** Runs in a frame: waits for the one document, draws it, and passes on keys of the preview. */
export function runFrame(draw: (task: FrameTask) => Promise<void>): void {
  const tell = (answer: FrameAnswer) => window.parent.postMessage(answer, '*')
  let isStarted = false
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || isStarted) return
    isStarted = true
    const task = data as FrameTask
    document.documentElement.classList.toggle('dark', task.isDark)
    draw(task).then(
      () => tell({ kind: 'shown' }),
      () => tell({ kind: 'failed' }),
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
