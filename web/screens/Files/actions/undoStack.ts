/** The actions that Ctrl+Z can undo, the last one first; each can be undone once. */
export class UndoStack {
  private readonly steps: (() => void)[] = []
  private readonly pending = new Set<Promise<unknown>>()

  /** Registers an action that the server has not answered yet: `undo` waits for it. */
  track<Result>(action: Promise<Result>): Promise<Result> {
    const forget = () => this.pending.delete(action)
    this.pending.add(action)
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

  /** Undoes the last action. @returns false when there is nothing to undo */
  async undo(): Promise<boolean> {
    await Promise.allSettled(this.pending)
    const step = this.steps.at(-1)
    step?.()
    return step !== undefined
  }
}
