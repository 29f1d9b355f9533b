import { type ApiClient, createApiClient } from '../shared/apiClient.ts'
import type { Http } from '../shared/http.ts'
import { GithubError, githubFailure, KIND } from './errors.ts'

export const UPLOADS = 'https://uploads.github.com'

/** GitHub refuses requests without a name of the program. */
export const USER_AGENT = 'Skypool'

/** API calls of one GitHub user. */
export function createGithubClient(http: Pick<Http, 'send'>, accessToken: string, now: () => number): ApiClient {
  return createApiClient({
    http,
    kind: KIND,
    api: 'https://api.github.com',
    accessToken,
    headers: { 'user-agent': USER_AGENT },
    apiHeaders: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
    errorOf: (response, body, where) => new GithubError(githubFailure(response, body, now()), where),
  })
}
