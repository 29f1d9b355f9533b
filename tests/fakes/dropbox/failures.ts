import type { Exchange } from '../core/service.ts'
import { DropboxError, denied, rateLimited, refused, unauthorised } from './errors.ts'
import { flattened, holding, type Tagged, tag } from './tags.ts'

const TOO_MANY_WRITES = 'too_many_write_operations'

/** Throws what is planned to fail before anything is done, in the shapes of the service. */
export function playFailures(exchange: Exchange, operation: string): void {
  const limited = exchange.take('rateLimit')
  if (limited?.status === 409) throw refused(tooManyWrites(operation))
  if (limited) throw rateLimited(limited.retryAfter ?? null, limited.reason)
  // An append may keep a part of what was sent; it takes this fault itself.
  const broken = operation.endsWith('/append_v2') ? null : exchange.take('serverError')
  if (broken) throw new DropboxError(broken.status ?? 503, 'Service Unavailable')
  if (exchange.take('expired')) throw unauthorised(tag('expired_access_token'))
  // Sharing has words of its own for this.
  const policy = operation.startsWith('sharing/') ? null : exchange.take('policy')
  if (policy) throw denied(tag(policy.reason ?? 'team_access_denied'))
}

/** The same refusal stands at another place in the error of each route. */
function tooManyWrites(operation: string): Tagged {
  const reason = tag(TOO_MANY_WRITES)
  if (operation === 'files/upload') return flattened('path', { reason, upload_session_id: 'pid_upload_session:none' })
  if (operation === 'files/create_folder_v2') return holding('path', reason)
  return operation === 'files/move_v2' || operation === 'files/copy_v2' ? holding('to', reason) : reason
}
