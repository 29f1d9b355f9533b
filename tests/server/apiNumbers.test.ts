import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MAX_COPIED } from '../../server/domain/copying/plan.ts'
import { LONGEST_KEY } from '../../server/domain/idempotency/keys.ts'
import { MOST_GUESSES } from '../../server/domain/keys/service.ts'
import { GUESSES_PER_NETWORK, GUESSES_PER_SHARE } from '../../server/domain/shares/service.ts'
import { MOST_REQUESTS } from '../../server/domain/shares/visits.ts'
import { FAILURES_PER_NETWORK, GUESSES_PER_ACCOUNT } from '../../server/domain/users/service.ts'
import {
  MAX_ALIASES,
  MAX_COST,
  MAX_DEPTH,
  MAX_IDS,
  MAX_QUERY_LENGTH,
  MAX_ROOT_FIELDS,
  MAX_STREAMS_PER_USER,
  MAX_TOKENS,
} from '../../server/graphql/limits.ts'
import { DEFAULT_PAGE, MAX_PAGE } from '../../server/graphql/pages.ts'
import { BODY_LIMIT_BYTES } from '../../server/http/app.ts'
import { pageQuery } from '../../server/rest/schemas.ts'
import { MAX_ARCHIVE_IDS } from '../../server/rest/v1/filesDownload.ts'
import { createUser } from '../factories/user.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startHttp, type TestHttp } from '../setup/httpApp.ts'

/** The numbers of docs/api.md, as the code has them. */
const guide = readFileSync('docs/api.md', 'utf8')
const say = new Intl.NumberFormat('en')
const KIB = 1024
let http: TestHttp
let browser: Browser

beforeAll(async () => {
  http = await startHttp()
  browser = createBrowser(http.url, (await createUser(http.services.users)).token)
})
afterAll(() => http.close())

const line = (name: string) => guide.split('\n').find((text) => text.startsWith(`- **${name}.**`)) ?? ''

it('pages', () => {
  expect(line('Pages')).toContain(`\`?limit=\` (${DEFAULT_PAGE}, at most ${MAX_PAGE})`)
  expect(pageQuery.parse({}).limit).toBe(DEFAULT_PAGE)
  expect(pageQuery.safeParse({ limit: MAX_PAGE }).success).toBe(true)
  expect(pageQuery.safeParse({ limit: MAX_PAGE + 1 }).success).toBe(false)
})

it('repeating safely', () => {
  expect(line('Repeating safely')).toContain(`up to ${LONGEST_KEY} characters`)
})

it.each([
  `JSON bodies: ${BODY_LIMIT_BYTES / KIB ** 2} MiB`,
  `${MAX_ARCHIVE_IDS} ids in an archive and ${say.format(MAX_IDS)} in a mutation, ${say.format(MAX_COPIED)} files in a copy`,
  `${say.format(MAX_QUERY_LENGTH)} characters, ${say.format(MAX_TOKENS)} tokens, ${MAX_DEPTH} levels, ${MAX_ALIASES} aliases`,
  `${MAX_ROOT_FIELDS} fields at the top, ${say.format(MAX_COST)} points of cost; ${MAX_STREAMS_PER_USER} live streams a user`,
])('limits: %s', (text) => {
  expect(line('Limits')).toContain(text)
})

it('rates', () => {
  const { limit, windowSeconds } = GUESSES_PER_ACCOUNT
  expect(line('Rates')).toContain(`${limit} guesses an account in ${windowSeconds / 60} minutes`)
  expect(line('Rates')).toContain(`${FAILURES_PER_NETWORK.limit} failures a network in a minute`)
  expect(FAILURES_PER_NETWORK.windowSeconds).toBe(60)
  expect([GUESSES_PER_SHARE, GUESSES_PER_NETWORK]).toEqual([GUESSES_PER_ACCOUNT, FAILURES_PER_NETWORK])
  expect(line('Rates')).toContain(`Invalid keys: ${MOST_GUESSES} attempts a minute`)
  expect(line('Rates')).toContain(`Public links: ${MOST_REQUESTS} calls a minute`)
})

it.each([
  ['/api/v1/group-clouds', 1024 * KIB],
  ['/api/v1/keys', 16 * KIB],
  ['/api/v1/shares', 16 * KIB],
  ['/api/v1/auth/login', 16 * KIB],
])('a body of %s may have %i bytes, and not one more', async (path, bytes) => {
  const frame = JSON.stringify({ name: '' }).length
  const bodyOf = (size: number) => ({ name: 'x'.repeat(size - frame) })
  expect((await browser.request('POST', path, bodyOf(bytes))).body.code).toBe('INVALID_INPUT')
  expect((await browser.request('POST', path, bodyOf(bytes + 1))).body).toMatchObject({
    status: 413,
    code: 'TOO_LARGE',
  })
})
