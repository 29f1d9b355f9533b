import type { Readable } from 'node:stream'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = new Set([0x5b, 0x7b])
const CLOSE = new Set([0x5d, 0x7d])
/** The depth of a node in `[{"f":[{…},{…}],…}]`. */
const NODE_DEPTH = 4
const BEFORE_NODES = '"f":['
const MAX_NODE_BYTES = 1024 * 1024
const MAX_REST_BYTES = 64 * 1024 * 1024

/**
 * Reads the response to `f`, which has all nodes of an account, and can have hundreds of megabytes: passes each node to `onNode` as it
 * arrives. @returns the text of the response without the nodes. Throws SyntaxError for a response that is not JSON.
 */
export async function readTreeReply(body: Readable, onNode: (node: unknown) => void): Promise<string> {
  const rest = createText(MAX_REST_BYTES)
  const node = createText(MAX_NODE_BYTES)
  let depth = 0
  let isText = false
  let isEscaped = false
  let areNodes = false

  const read = (chunk: Buffer): void => {
    // Where the bytes begin that belong to the current target.
    let from = 0
    const flush = (to: number): void => {
      const bytes = chunk.subarray(from, to)
      from = to
      if (!areNodes) rest.add(bytes)
      else if (depth >= NODE_DEPTH) node.add(bytes)
    }
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isText = false
      } else if (byte === QUOTE) isText = true
      else if (OPEN.has(byte)) {
        if (areNodes && depth === NODE_DEPTH - 1) flush(at)
        depth += 1
        if (depth === NODE_DEPTH - 1) {
          flush(at + 1)
          areNodes = rest.endsWith(BEFORE_NODES)
        }
      } else if (CLOSE.has(byte)) {
        if (areNodes && depth === NODE_DEPTH) {
          flush(at + 1)
          onNode(JSON.parse(node.take()))
        }
        if (areNodes && depth === NODE_DEPTH - 1) {
          flush(at)
          areNodes = false
        }
        depth -= 1
      }
    }
    flush(chunk.length)
  }
  for await (const chunk of body as AsyncIterable<Buffer>) read(chunk)
  return rest.take()
}

function createText(most: number) {
  let parts: Buffer[] = []
  let size = 0
  return {
    add(bytes: Buffer): void {
      if (bytes.length === 0) return
      size += bytes.length
      if (size > most) throw new SyntaxError('A part of the response is too long.')
      parts.push(bytes)
    },
    endsWith: (text: string): boolean => Buffer.concat(parts.slice(-text.length)).toString().endsWith(text),
    take(): string {
      const text = Buffer.concat(parts).toString()
      parts = []
      size = 0
      return text
    },
  }
}
