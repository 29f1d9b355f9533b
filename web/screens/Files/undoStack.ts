/** The last thing that can be taken back, for Ctrl+Z; each can be taken back once. */
export class UndoStack {
  private readonly steps: (() => void)[] = []
  private readonly underWay = new Set<Promise<unknown>>()

  /** What the server has not answered yet was done all the same for whoever presses Ctrl+Z: `undo` waits for it. */
  track<Result>(action: Promise<Result>): Promise<Result> {
    const forget = () => this.underWay.delete(action)
    this.underWay.add(action)
    action.then(forget, forget)
    return action
  }

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

  /** Takes the last thing back. @returns false when there is nothing to take back */
  async undo(): Promise<boolean> {
    await Promise.allSettled(this.underWay)
    const step = this.steps.at(-1)
    step?.()
    return step !== undefined
  }
}
