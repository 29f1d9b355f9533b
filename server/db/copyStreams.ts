import { Readable, Writable } from 'node:stream'
import type pg from 'pg'

/** What pg passes to a statement that handles its own messages (pg's `Query` has the same methods). */
type Wire = {
  readonly stream: {
    pause(): void
    resume(): void
    readonly writableNeedDrain: boolean
    once(event: 'drain', done: () => void): void
  }
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** The rows of `copy … to stdout`, while they are read. Pass it to `client.query`. */
export class CopyOut extends Readable {
  readonly #text: string
  #wire: Wire | null = null

  constructor(text: string) {
    super()
    this.#text = text
  }

  submit(wire: unknown): void {
    this.#wire = wire as Wire
    this.#wire.query(this.#text)
  }

  override _read(): void {
    this.#wire?.stream.resume()
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (this.destroyed) return
    // pg uses its buffer again.
    if (!this.push(Buffer.from(chunk))) this.#wire?.stream.pause()
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.push(null)
  }

  handleError(error: Error): void {
    this.destroy(error)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // What PostgreSQL still sends is dropped.
    this.#wire?.stream.resume()
    done(error)
  }
}

/** Takes the rows for `copy … from stdin`. Pass it to `client.query`. */
export class CopyIn extends Writable {
  /** Rows that PostgreSQL has taken, after the end. */
  rowCount = 0
  readonly #text: string
  #wire: Wire | null = null
  #isReady = false
  #whenReady: (() => void) | null = null
  #whenDone: ((error?: Error) => void) | null = null

  constructor(text: string) {
    super()
    this.#text = text
  }

  submit(wire: unknown): void {
    this.#wire = wire as Wire
    this.#wire.query(this.#text)
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    const send = () => {
      this.#wire?.sendCopyFromChunk(chunk)
      if (this.#wire?.stream.writableNeedDrain) this.#wire.stream.once('drain', done)
      else done()
    }
    this.#onceReady(send)
  }

  override _final(done: (error?: Error) => void): void {
    this.#whenDone = done
    this.#onceReady(() => this.#wire?.endCopyFrom())
  }

  handleCopyInResponse(): void {
    this.#isReady = true
    this.#whenReady?.()
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.rowCount = Number(/^COPY (\d+)/.exec(text)?.[1] ?? 0)
  }

  handleReadyForQuery(): void {
    this.#whenDone?.()
  }

  handleError(error: Error): void {
    if (this.#whenDone) this.#whenDone(error)
    else this.destroy(error)
    this.#whenDone = null
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (error && this.#isReady && !this.#whenDone) this.#wire?.sendCopyFail(error.message)
    done(error)
  }

  #onceReady(act: () => void): void {
    if (this.#isReady) act()
    else this.#whenReady = act
  }
}

/** Starts a copy on a connection: pg accepts statements that handle their own messages. */
export function submit<Copy extends CopyOut | CopyIn>(client: pg.ClientBase, copy: Copy): Copy {
  return client.query(copy as unknown as pg.Submittable) as unknown as Copy
}
