import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

const HOST = 'host: 127.0.0.1'
const JSON_HEAD = ['content-type: application/json', HOST]

/** What no HTTP client would send: lines of the head, and the bytes after it. */
const RAW: readonly (readonly [lines: readonly string[], body?: string])[] = [
  [['GET / HTTP/9.9', HOST]],
  [['GET /']],
  [['\0\0\0\0']],
  [['\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03']],
  [['GET /health HTTP/1.1']],
  [['GET /health HTTP/1.1', HOST, HOST]],
  [['GET /health HTTP/1.1', 'host: [::1']],
  [['GET /health HTTP/1.1', 'host: a b']],
  [['GET http://elsewhere.example.org/health HTTP/1.1', HOST]],
  [['GET //elsewhere/health HTTP/1.1', HOST]],
  [['GET /a\0b HTTP/1.1', HOST]],
  [['GET /\xff\xfe HTTP/1.1', HOST]],
  [['OPTIONS * HTTP/1.1', HOST]],
  [['CONNECT a:1 HTTP/1.1', HOST]],
  [['GET /graphql HTTP/1.1', HOST, 'connection: upgrade', 'upgrade: websocket']],
  [['NONSENSE /health HTTP/1.1', HOST]],
  [['get /health HTTP/1.1', HOST]],
  [['GET /health HTTP/1.1', HOST, 'a header without a colon']],
  [['GET /health HTTP/1.1', HOST, 'x\0y: z']],
  [['GET /health HTTP/1.1', HOST, `x: ${'y'.repeat(1_000_000)}`]],
  [['GET /health HTTP/1.1', HOST, ...Array.from({ length: 3_000 }, (_, index) => `x-${index}: y`)]],
  [['POST /graphql HTTP/1.1', ...JSON_HEAD, 'content-length: -1'], '{}'],
  [['POST /graphql HTTP/1.1', ...JSON_HEAD, 'content-length: 2', 'content-length: 3'], '{}'],
  [['POST /graphql HTTP/1.1', ...JSON_HEAD, 'content-length: 99999999999999999999'], '{}'],
  [['POST /graphql HTTP/1.1', ...JSON_HEAD, 'content-length: 2', 'transfer-encoding: chunked'], '0\r\n\r\n'],
  [['POST /graphql HTTP/1.1', ...JSON_HEAD, 'transfer-encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
  [['POST /graphql HTTP/1.1', ...JSON_HEAD, 'transfer-encoding: chunked'], 'fffffffffffffffff\r\n'],
  [['POST /graphql HTTP/1.1', ...JSON_HEAD, 'transfer-encoding: xchunked'], '2\r\n{}\r\n0\r\n\r\n'],
  [['POST /graphql HTTP/1.1', ...JSON_HEAD, 'content-encoding: gzip', 'content-length: 2'], '{}'],
  [['POST /graphql HTTP/1.1', ...JSON_HEAD, 'expect: 200-ok', 'content-length: 2'], '{}'],
  [['POST /graphql HTTP/1.1', HOST, 'content-type: multipart/form-data; boundary="\\"', 'content-length: 2'], '{}'],
]

/** Sends each on a separate connection and closes it. @returns those that got a response which no request may get */
export async function attackRaw(url: string): Promise<{ readonly sent: number; readonly findings: string[] }> {
  const port = Number(new URL(url).port)
  const answers = await Promise.all(
    RAW.map(([lines, body = '']) => answerTo(port, `${lines.join('\r\n')}\r\n\r\n${body}`)),
  )
  const findings = answers.flatMap((answer, index) => {
    const [, status = '0'] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? []
    const isBad = Number(status) >= 500 || /node_modules|\n\s+at \S+/.test(answer)
    return isBad ? [`raw #${index} ${RAW[index]?.[0][0]} -> ${answer.slice(0, 400)}`] : []
  })
  return { sent: RAW.length, findings }
}

async function answerTo(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.setTimeout(500, () => socket.destroy())
  socket.write(bytes, 'latin1')
  return text(socket).catch(() => '')
}
