import type { HostileRequest } from './request.ts'
import type { Answered } from './send.ts'

/** Internals of the server that no response may contain, and that no request here contains. */
const INSIDE = [
  /\n\s+at \S+.*:\d+:\d+/,
  /node_modules/,
  /dist\/server/,
  /server\/(domain|rest|graphql|http|db)\//,
  /PrismaClient/,
  /invalid input syntax/i,
  /syntax error at or near/i,
  /violates \w+(-\w+)? constraint/i,
  /invalid byte sequence/i,
  /relation "\w+"/,
  /column "\w+"/,
  /ECONNREFUSED|ENOENT|EACCES/,
  /Cannot read propert|is not a function|is not iterable/,
]

/** What is wrong with a response, as a sentence, or null. Every malformed request must be refused as the client's error (4xx). */
export function judge(request: HostileRequest, { status, headers, text }: Answered): string | null {
  if (status === -1) return 'no answer'
  // The server may close the connection of a client that sends more than it reads.
  if (status === 0) return (request.body?.length ?? 0) > 16 * 1024 ? null : 'no answer: the connection was cut'
  if (status >= 500) return `status ${status}`
  if (/"code":"INTERNAL/.test(text)) return 'an internal error'
  const inside = INSIDE.find((pattern) => pattern.test(text) && !pattern.test(echo(request)))
  if (inside) return `tells of its inside: ${inside}`
  return headers['x-content-type-options'] === 'nosniff' ? null : 'without security headers'
}

function echo({ path, body }: HostileRequest): string {
  return `${path}\n${body?.toString() ?? ''}`
}
