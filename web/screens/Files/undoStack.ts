/** The last thing that can be taken back, for Ctrl+Z; each can be taken back once. */
export class UndoStack {
  private readonly steps: (() => void)[] = []

  /** @returns the step as a function that works once, also when it is called from elsewhere (a toast) */
  push(undo: () => void): () => void {
    const step = () => {
      const at = this.steps.indexOf(step)
      if (at < 0) return
      this.steps.splice(at, 1)
      undo()
    }
    this.steps.push(step)
    if (this.steps.length > 20) this.steps.shift()
    return step
  }

  /** @returns false when there is nothing to take back */
  undo(): boolean {
    const step = this.steps.at(-1)
    step?.()
    return step !== undefined
  }
}
