import { setTimeout as sleep } from 'node:timers/promises'
import { type Exchange, ExchangeEnded } from './service.ts'

const PAGE = '<!doctype html><title>Sign in</title><p>Please sign in to this network.</p>'

/** Plays the faults that come before anything is done; throws `ExchangeEnded` when one ends it. */
export async function playBefore(exchange: Exchange, closing: AbortSignal): Promise<void> {
  const { request, response, take } = exchange
  if (take('refuse')) end(() => request.socket.destroy())
  if (take('reset')) end(() => request.socket.resetAndDestroy())
  if (take('blackhole')) {
    await silence(exchange, closing)
    end(() => request.socket.destroy())
  }
  const delay = take('delay')
  if (delay) await sleep(delay.ms ?? 1000, undefined, { signal: closing }).catch(() => undefined)
  const skew = take('skew')
  if (skew) response.setHeader('Date', new Date(Date.now() + (skew.ms ?? 3_600_000)).toUTCString())
  await answerInstead(exchange)
}

function end(how: () => void): never {
  how()
  throw new ExchangeEnded()
}

/** Until the client goes, or all ends. */
function silence({ request, response }: Exchange, closing: AbortSignal): Promise<void> {
  request.resume()
  return new Promise((resolve) => {
    response.once('close', resolve)
    closing.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function answerInstead(exchange: Exchange): Promise<void> {
  const redirect = exchange.take('redirect')
  if (redirect) {
    await exchange.send(redirect.status ?? 302, { Location: redirect.location ?? 'https://example.org/elsewhere' })
    throw new ExchangeEnded()
  }
  if (!exchange.take('html')) return
  await exchange.send(200, { 'Content-Type': 'text/html; charset=utf-8' }, PAGE)
  throw new ExchangeEnded()
}
