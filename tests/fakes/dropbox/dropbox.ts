import { randomBytes } from 'node:crypto'
import type { Exchange, Service, ServiceOptions } from '../core/service.ts'
import { createCommands, type DropboxCommands } from './commands.ts'
import { dispatch } from './dispatch.ts'
import { DropboxError } from './errors.ts'
import { LONGPOLL, longpoll } from './longpoll.ts'
import { authorize } from './oauth/authorize.ts'
import { TOKEN, token } from './oauth/token.ts'
import { openContent, openSharedLink } from './publicLinks.ts'
import { CONTENT_HOST } from './routes/sharing.ts'
import { type Client, createState, type State } from './state.ts'

export type DropboxOptions = ServiceOptions & {
  /** The apps that the service knows. */
  readonly clients?: readonly Client[]
}

/** Known unless others are given; takes any redirect address. */
export const DROPBOX_CLIENT: Client = { id: 'emulated-dropbox-key', secret: 'emulated-dropbox-secret' }

/** Dropbox's own SDK sends people to the short one. */
const AUTHORIZE_ADDRESSES = ['www.dropbox.com/oauth2/authorize', 'dropbox.com/oauth2/authorize']
/** Apps of the first API version still use the other one. */
const TOKEN_ADDRESSES = [`api.dropboxapi.com/${TOKEN}`, 'api.dropboxapi.com/1/oauth2/token']

const HOSTS = [
  'dropbox.com',
  'www.dropbox.com',
  'api.dropboxapi.com',
  'content.dropboxapi.com',
  'notify.dropboxapi.com',
  CONTENT_HOST,
]

export type DropboxService = Service & { readonly commands: DropboxCommands }

/** Dropbox's API v2 with its authorization, for as many accounts as `addUser` makes. */
export function createDropbox({ clock = Date.now, clients = [DROPBOX_CLIENT] }: DropboxOptions = {}): DropboxService {
  const state = createState(clock, clients)
  return {
    name: 'dropbox',
    hosts: HOSTS,
    handle: (exchange) => handle(state, exchange),
    commands: createCommands(state),
    close: () => state.blobs.close(),
  }
}

async function handle(state: State, exchange: Exchange): Promise<void> {
  exchange.response.setHeader('x-dropbox-request-id', randomBytes(16).toString('hex'))
  try {
    await answer(state, exchange)
  } catch (error) {
    if (!(error instanceof DropboxError)) throw error
    await sendError(exchange, error)
  }
}

function answer(state: State, exchange: Exchange): Promise<void> {
  const { host, pathname } = exchange.url
  const address = `${host}${pathname}`
  if (AUTHORIZE_ADDRESSES.includes(address)) return authorize(state, exchange)
  if (TOKEN_ADDRESSES.includes(address)) return token(state, exchange)
  if (address === `notify.dropboxapi.com/2/${LONGPOLL}`) return longpoll(state, exchange)
  if (address.startsWith('www.dropbox.com/scl/')) return openSharedLink(state, exchange)
  if (host === CONTENT_HOST) return openContent(state, exchange)
  return dispatch(state, exchange)
}

function sendError(exchange: Exchange, { status, body, headers }: DropboxError): Promise<void> {
  if (typeof body !== 'string') return exchange.sendJson(status, body, headers)
  return exchange.send(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }, body)
}
