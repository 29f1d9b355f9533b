import { createBlobs } from '../core/blobs.ts'
import type { Exchange, Service, ServiceOptions } from '../core/service.ts'
import { createCommands, type GoogleCommands } from './commands.ts'
import { type Content, createContent } from './content.ts'
import { drive } from './drive/drive.ts'
import type { Pages } from './drive/list.ts'
import type { Session } from './drive/resumable.ts'
import { sendThumbnail, THUMBNAILS } from './drive/thumbnail.ts'
import { DriveError, sendDriveError } from './errors.ts'
import { links } from './links.ts'
import type { User } from './model.ts'
import { authorize } from './oauth/authorize.ts'
import { type Client, createGrants, type Grants } from './oauth/grants.ts'
import { createIdTokens, discovery, type IdTokens, userinfo } from './oauth/identity.ts'
import { revoke, token } from './oauth/token.ts'
import { createPhotos, type Photos } from './photos/library.ts'
import { photosBytes, photosLibrary } from './photos/photos.ts'
import { createStore, type Store } from './store.ts'

/** Known from the start; takes any redirect address. */
export const GOOGLE_CLIENT: Client = {
  id: 'emulated.apps.googleusercontent.com',
  secret: 'emulated-google-secret',
  redirectUris: null,
}

/** All that the emulated Google knows. */
export type Google = {
  readonly store: Store
  readonly grants: Grants
  readonly idTokens: IdTokens
  readonly pages: Pages
  readonly sessions: Map<string, Session>
  readonly photos: Photos
  /** Whether lists of all files contain the root folder. */
  listsRoot: boolean
  emptyContent(): Content
  /** For this many bytes more. */
  hasRoom(user: User, bytes: number): boolean
}

export type GoogleService = Service & { readonly commands: GoogleCommands }

/** Google's sign-in, Drive v3, and the Photos Library. */
export function createGoogle({ clock = Date.now }: ServiceOptions = {}): GoogleService {
  const blobs = createBlobs()
  const store = createStore(blobs, clock)
  const google: Google = {
    store,
    grants: createGrants(clock),
    idTokens: createIdTokens(clock),
    pages: new Map(),
    sessions: new Map(),
    photos: createPhotos(blobs, clock),
    listsRoot: false,
    emptyContent: () => createContent(blobs.create()),
    hasRoom: (user, bytes) => user.quotaBytes === null || store.usage(user).total + bytes <= user.quotaBytes,
  }
  google.grants.clients.set(GOOGLE_CLIENT.id, GOOGLE_CLIENT)
  return {
    name: 'google',
    hosts: [
      'accounts.google.com',
      'oauth2.googleapis.com',
      'openidconnect.googleapis.com',
      'www.googleapis.com',
      'drive.google.com',
      'photoslibrary.googleapis.com',
      'lh3.googleusercontent.com',
    ],
    commands: createCommands(google),
    close: blobs.close,
    async handle(exchange) {
      try {
        await answer(exchange, google)
      } catch (error) {
        if (!(error instanceof DriveError)) throw error
        await sendDriveError(exchange, error)
      }
    },
  }
}

async function answer(exchange: Exchange, google: Google): Promise<void> {
  const { host, pathname } = exchange.url
  const at = host + pathname
  if (host === 'drive.google.com') return links(exchange, google)
  if (host === 'photoslibrary.googleapis.com') return photosLibrary(exchange, google)
  if (at.startsWith(`lh3.googleusercontent.com${THUMBNAILS}`)) return sendThumbnail(exchange, google)
  if (host === 'lh3.googleusercontent.com') return photosBytes(exchange, google)
  if (/^accounts\.google\.com\/o\/oauth2\/(v2\/)?auth$/.test(at)) return authorize(exchange, google)
  const isPost = exchange.method === 'POST'
  if (
    isPost &&
    /^(oauth2\.googleapis\.com\/token|accounts\.google\.com\/o\/oauth2\/token|www\.googleapis\.com\/oauth2\/v[34]\/token)$/.test(
      at,
    )
  ) {
    return token(exchange, google)
  }
  if (isPost && /^(oauth2\.googleapis\.com\/revoke|accounts\.google\.com\/o\/oauth2\/revoke)$/.test(at))
    return revoke(exchange, google)
  if (/^(openidconnect\.googleapis\.com\/v1|www\.googleapis\.com\/oauth2\/v[23])\/userinfo$/.test(at))
    return userinfo(exchange, google)
  if (/\/\.well-known\/openid-configuration$|\/oauth2\/v3\/certs$/.test(at)) return discovery(exchange, google)
  if (host === 'www.googleapis.com' && /^\/(upload\/)?drive\/v3\//.test(pathname)) return drive(exchange, google)
  await exchange.begin('')
  throw new DriveError(404, 'notFound', 'Not Found')
}
