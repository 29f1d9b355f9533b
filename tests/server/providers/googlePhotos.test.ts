import { expect, it } from 'vitest'
import { photosErrorCode } from '../../../server/providers/google-photos/client.ts'
import { googlePhotosModule } from '../../../server/providers/google-photos/module.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'

it.each([
  [400, 'INVALID_ARGUMENT', 'Invalid media item ID.', 'NotFound'],
  [400, 'INVALID_ARGUMENT', 'Invalid album ID.', 'NotFound'],
  [400, 'INVALID_ARGUMENT', 'The page token is invalid.', 'CursorReset'],
  [400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', 'Permanent'],
  [401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.', 'AuthExpired'],
  [403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', 'ReconnectNeeded'],
  [
    403,
    'PERMISSION_DENIED',
    'Photos Library API has not been used in project 1 before or it is disabled.',
    'Misconfigured',
  ],
  [403, 'PERMISSION_DENIED', 'The caller does not have permission', 'Forbidden'],
  [404, 'NOT_FOUND', 'Requested entity was not found.', 'NotFound'],
  [404, null, '', 'NotFound'],
  [409, 'ABORTED', 'The operation was aborted.', 'Transient'],
  [429, 'RESOURCE_EXHAUSTED', "Quota exceeded for limit 'All requests per minute'.", 'RateLimited'],
  [429, 'RESOURCE_EXHAUSTED', "Quota exceeded for limit 'All requests per day'.", 'Forbidden'],
  [429, 'RESOURCE_EXHAUSTED', 'The remaining storage in the user account is not enough.', 'QuotaExceeded'],
  [503, 'UNAVAILABLE', 'The service is currently unavailable.', 'Transient'],
] as const)('%i %s %s means %s', (status, reason, message, code) => {
  expect(photosErrorCode({ status, reason, message })).toBe(code)
})

it('asks for nothing but adding photos and seeing what it has added', () => {
  const { signIn } = googlePhotosModule({
    http: createHttp({ emulatorUrl: null }),
    clientId: 'id',
    clientSecret: 'secret',
  })
  if (signIn.by !== 'OAUTH') throw new Error('It has no consent page.')
  const request = { state: 's', challenge: 'c', redirectUri: 'https://skypool.example/callback', loginHint: null }
  const scopes = signIn.oauth.authorizationUrl(request).searchParams.get('scope')?.split(' ')
  expect(scopes).toEqual([
    'https://www.googleapis.com/auth/photoslibrary.appendonly',
    'https://www.googleapis.com/auth/photoslibrary.readonly.appcreateddata',
    'profile',
    'email',
    'openid',
  ])
  expect(signIn.oauth.callbackName).toBe('google-photos')
})
