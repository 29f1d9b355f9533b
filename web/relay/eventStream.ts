export type StreamEvent = { event: string; data: string }

/** Splits a text/event-stream body into its events; comments (keep-alive) yield nothing. Ends with the body. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let rest = ''
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const parsed = parseBlock(block)
        if (parsed) yield parsed
      }
    }
  } finally {
    // A caller that stops early must not leave the connection open.
    await reader.cancel().catch(() => undefined)
  }
}

function parseBlock(block: string): StreamEvent | null {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [field, value] = splitLine(line)
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  return data.length > 0 || event !== 'message' ? { event, data: data.join('\n') } : null
}

function splitLine(line: string): [string, string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
}
