import { describe, expect, it } from 'vitest'
import { checkedForm } from '../../../server/domain/accounts/rows.ts'
import { InvalidInputError } from '../../../server/domain/errors.ts'
import { configuredModules, PROVIDERS } from '../../../server/providers/catalogue.ts'
import type { FormValues, SignInForm } from '../../../server/providers/driver.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'

/** The forms of the catalogue, by provider. */
const forms = new Map<string, SignInForm>(
  configuredModules(PROVIDERS, createHttp({ emulatorUrl: null }), createHostGuard([]), {}).flatMap(
    ({ kind, signIn }) => (signIn.by === 'FORM' ? [[kind, signIn.form] as const] : []),
  ),
)

/** Field and message of each problem, by the check before anything is called. */
function problemsOf(provider: string, fields: FormValues): [string, string][] {
  const form = forms.get(provider)
  if (!form) throw new Error(`There is no form of ${provider}.`)
  try {
    checkedForm(form, { fields })
    return []
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    return error.fields.map(({ path, message }) => [path.replace('fields.', ''), message])
  }
}

const fieldsOf = (provider: string, fields: FormValues) => problemsOf(provider, fields).map(([field]) => field)

it.each([...forms])('%s: what a field is required by is in the same form', (_provider, { fields }) => {
  for (const { name, required, requiredWhen } of fields) {
    if (!requiredWhen) continue
    expect(required).toBe(false)
    expect(requiredWhen.conditions.length).toBeGreaterThan(0)
    for (const condition of requiredWhen.conditions) {
      const other = fields.find((field) => field.name === condition.field)
      expect(other, condition.field).toBeDefined()
      expect(condition.field).not.toBe(name)
      const possible = other?.choices?.map(({ value }) => value) ?? condition.values
      expect(possible).toEqual(expect.arrayContaining(condition.values.filter((value) => value !== '')))
    }
  }
})

describe('Amazon S3', () => {
  const KEYS = { bucket: 'bucket', accessKey: 'key', secretKey: 'secret' }

  it.each([
    ['aws', []],
    ['r2', ['endpoint']],
    ['b2', ['region']],
    ['wasabi', ['region']],
    ['minio', ['endpoint']],
    ['garage', ['endpoint']],
    ['other', ['endpoint']],
  ])('%s needs: %s', (service, needed) => {
    expect(fieldsOf('amazon-s3', { service, ...KEYS })).toEqual(needed)
    const all = { endpoint: 'https://s3.example.org', region: 'eu-central-1' }
    expect(fieldsOf('amazon-s3', { service, ...KEYS, ...all })).toEqual([])
  })

  it('says all that is missing, and what to do', () => {
    expect(problemsOf('amazon-s3', { service: 'r2' })).toEqual([
      [
        'endpoint',
        'Endpoint is required for this service: enter the address of its S3 API, such as https://minio.example.org:9000.',
      ],
      ['bucket', 'Bucket is required.'],
      ['accessKey', 'Access key is required.'],
      ['secretKey', 'Secret key is required.'],
    ])
    expect(fieldsOf('amazon-s3', {})).toEqual(['service', 'bucket', 'accessKey', 'secretKey'])
  })

  it('takes the region from the endpoint', () => {
    const endpoint = 'https://s3.eu-central-003.backblazeb2.com'
    expect(fieldsOf('amazon-s3', { service: 'b2', ...KEYS, endpoint })).toEqual([])
    expect(problemsOf('amazon-s3', { service: 'b2', ...KEYS, endpoint: 'https://s3.example.org' })).toEqual([
      ['region', 'This service needs the region of the bucket.'],
    ])
  })

  it('says what else is wrong, each field once, in the order of the form', () => {
    const given = { service: 'b2', ...KEYS, bucket: 'a/b', capacity: '0' }
    expect(fieldsOf('amazon-s3', given)).toEqual(['region', 'bucket', 'capacity'])
    expect(fieldsOf('amazon-s3', { ...given, service: 'r2' })).toEqual(['endpoint', 'bucket', 'capacity'])
  })
})

describe('WebDAV', () => {
  const address = 'https://dav.example.org/'

  it.each([
    [{}, ['user', 'password']],
    [{ user: 'ann' }, ['password']],
    [{ password: 'x' }, ['user']],
    [{ user: 'ann', password: 'x' }, []],
    [{ token: 'abc' }, []],
    [{ user: 'a:b' }, ['user', 'password']],
  ])('with %o lacks: %s', (values, needed) => {
    expect(fieldsOf('webdav', { address, ...values })).toEqual(needed)
  })
})

describe('SFTP', () => {
  const login = { host: 'files.example.org', user: 'ann' }

  it.each([
    [{}, ['password']],
    [{ passphrase: 'x' }, ['password']],
    [{ password: 'x' }, []],
    [{ privateKey: 'x' }, []],
  ])('with %o lacks: %s', (values, needed) => {
    expect(fieldsOf('sftp', { ...login, ...values })).toEqual(needed)
  })
})
