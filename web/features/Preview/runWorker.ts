import { messages } from './messages.ts'
import { PreviewError } from './previewError.ts'

/** What a preview's worker answers; `failed` without a reason: the content is damaged. */
export type WorkerAnswer<T> = { readonly value: T } | { readonly failed: true }

/**
 * One task in a separate worker, which is ended after `milliseconds` whatever it does. Workers load and call nothing: their script
 * has the policy of data. @throws PreviewError
 */
export function runWorker<T>(worker: Worker, task: unknown, signal: AbortSignal, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  return new Promise<T>((resolve, reject) => {
    const fail = (reason: string) => reject(new PreviewError(reason))
    timer = setTimeout(() => fail(messages.tooSlow), milliseconds)
    signal.addEventListener('abort', () => fail(messages.notLoaded))
    worker.addEventListener('error', () => fail(messages.damaged))
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer<T>>) => {
      if ('value' in data) resolve(data.value)
      else fail(messages.damaged)
    })
    worker.postMessage(task)
  }).finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}
