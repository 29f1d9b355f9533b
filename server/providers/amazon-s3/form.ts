import { randomUUID } from 'node:crypto'
import type { S3Bucket } from '../../lib/s3/sign.ts'
import type { Call, Credentials, FieldCondition, FieldProblem, FormField, FormValues, SignInForm } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { connectionProblem } from '../shared/connectionProblem.ts'
import type { Http } from '../shared/http.ts'
import { createS3Client, KIND, type S3Client } from './client.ts'
import { failureOf } from './errors.ts'
import {
  deleteObject,
  head,
  isConditionRefused,
  listPage,
  md5InTag,
  md5Of,
  putObject,
  UNLESS_THERE,
  type WriteCondition,
} from './objects.ts'

/** A service with the S3 API. Its address is made of the region, or typed in. */
type Service = {
  readonly value: string
  readonly label: string
  readonly endpoint?: (region: string) => string
  /** The region where none is typed in; empty where one must be. */
  readonly region: string
  readonly style: S3Bucket['style']
}

const SERVICES: readonly Service[] = [
  {
    value: 'aws',
    label: 'Amazon S3',
    endpoint: (region) => `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`,
    region: 'us-east-1',
    style: 'host',
  },
  { value: 'r2', label: 'Cloudflare R2', region: 'auto', style: 'path' },
  {
    value: 'b2',
    label: 'Backblaze B2',
    endpoint: (region) => `https://s3.${region}.backblazeb2.com`,
    region: '',
    style: 'path',
  },
  {
    value: 'wasabi',
    label: 'Wasabi',
    endpoint: (region) => `https://s3.${region}.wasabisys.com`,
    region: '',
    style: 'path',
  },
  { value: 'minio', label: 'MinIO', region: 'us-east-1', style: 'path' },
  { value: 'garage', label: 'Garage', region: 'garage', style: 'path' },
  { value: 'other', label: 'Another service with the S3 API', region: 'us-east-1', style: 'path' },
]

const STYLES = [
  { value: 'path', label: 'After the address: https://host/bucket' },
  { value: 'host', label: 'Before the address: https://bucket.host' },
]

/** Of the services whose address is made of the region, or not. */
const servicesWhere = (isWanted: (service: Service) => boolean): FieldCondition => ({
  field: 'service',
  values: SERVICES.filter(isWanted).map(({ value }) => value),
})

const field = (name: string, label: string, help: string | null, more: Partial<FormField> = {}): FormField => ({
  name,
  label,
  help,
  type: 'TEXT',
  secret: false,
  required: true,
  ...more,
})

const FIELDS: readonly FormField[] = [
  field('service', 'Service', null, {
    type: 'CHOICE',
    choices: SERVICES.map(({ value, label }) => ({ value, label })),
  }),
  field(
    'endpoint',
    'Endpoint',
    'Address of the S3 API, without the bucket, such as https://minio.example.org:9000. Not needed for Amazon S3, Backblaze B2 and Wasabi.',
    {
      type: 'URL',
      required: false,
      requiredWhen: {
        conditions: [servicesWhere(({ endpoint }) => endpoint === undefined)],
        message:
          'Endpoint is required for this service: enter the address of its S3 API, such as https://minio.example.org:9000.',
      },
    },
  ),
  field(
    'region',
    'Region',
    'Such as eu-central-1. Backblaze B2 and Wasabi show it in the endpoint, after “s3.”. Usually not needed for R2, MinIO and Garage.',
    {
      required: false,
      // The endpoint of such a service contains the region.
      requiredWhen: {
        conditions: [servicesWhere(({ region }) => region === ''), { field: 'endpoint', values: [''] }],
        message:
          'Region is required for this service: copy it from the endpoint that the service shows, after “s3.”, such as eu-central-1.',
      },
    },
  ),
  field('bucket', 'Bucket', 'It must exist already.'),
  field('folder', 'Folder', 'Skypool then uses only this folder of the bucket.', { required: false }),
  field('accessKey', 'Access key', 'It must be allowed to list the bucket, and to read, write and delete objects.'),
  field('secretKey', 'Secret key', null, { secret: true }),
  field('pathStyle', 'Bucket in the address', 'Only if the service needs another form than usual.', {
    type: 'CHOICE',
    choices: STYLES,
    required: false,
  }),
  field('capacity', 'Capacity in GB', 'Buckets report no limit: Skypool then stores no more than this in it.', {
    type: 'NUMBER',
    required: false,
  }),
]

/** An account: a folder of a bucket. */
export type S3Account = {
  readonly bucket: S3Bucket
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  readonly capacityBytes: number | null
  /** See S3Context. */
  readonly trustsTags: boolean
  readonly condition: WriteCondition
}

export function accountOf(credentials: Credentials): S3Account {
  const text = (name: string): string => credentials[name] ?? ''
  return {
    bucket: {
      endpoint: text('endpoint'),
      region: text('region'),
      bucket: text('bucket'),
      style: text('style') === 'host' ? 'host' : 'path',
      accessKey: text('accessKey'),
      secretKey: text('secretKey'),
    },
    prefix: text('prefix'),
    capacityBytes: text('capacityBytes') === '' ? null : Number(text('capacityBytes')),
    trustsTags: text('etags') !== 'opaque',
    condition: text('conditions') === 'none' ? {} : UNLESS_THERE,
  }
}

function credentialsOf({ bucket, prefix, capacityBytes, trustsTags, condition }: S3Account): Credentials {
  const capacity = capacityBytes === null ? null : String(capacityBytes)
  return {
    expiresAt: null,
    ...bucket,
    prefix,
    capacityBytes: capacity,
    etags: trustsTags ? 'md5' : 'opaque',
    conditions: condition === UNLESS_THERE ? 'known' : 'none',
  }
}

const GB = 1_000_000_000

/** Of an endpoint that the service makes of its region: Backblaze B2 shows only that. */
function regionIn(endpoint: string, service: Service | undefined): string | undefined {
  const [region] = /(?<=^https:\/\/s3\.)[a-z\d-]+(?=\.)/.exec(endpoint) ?? []
  return region !== undefined && service?.endpoint?.(region) === endpoint.replace(/\/+$/, '') ? region : undefined
}

function readValues(values: FormValues): S3Account {
  const service = SERVICES.find(({ value }) => value === values.service)
  const region = values.region ?? regionIn(values.endpoint ?? '', service) ?? service?.region ?? ''
  const bucket = values.bucket ?? ''
  const folder = (values.folder ?? '').replace(/^\/+|\/+$/g, '')
  // A certificate for *.host does not cover names with a dot.
  const usual = bucket.includes('.') ? 'path' : (service?.style ?? 'path')
  return {
    bucket: {
      endpoint: (values.endpoint ?? service?.endpoint?.(region) ?? '').replace(/\/+$/, ''),
      region,
      bucket,
      style: values.pathStyle === 'host' || values.pathStyle === 'path' ? values.pathStyle : usual,
      accessKey: (values.accessKey ?? '').trim(),
      secretKey: (values.secretKey ?? '').trim(),
    },
    prefix: folder === '' ? '' : `${folder}/`,
    capacityBytes: values.capacity === undefined ? null : Number(values.capacity) * GB,
    trustsTags: true,
    condition: UNLESS_THERE,
  }
}

/** SignInForm.valuesOf. */
function valuesOf(credentials: Credentials): FormValues {
  const { bucket, prefix, capacityBytes } = accountOf(credentials)
  const { endpoint, region, style, ...rest } = bucket
  const service = SERVICES.find((one) => one.endpoint?.(region) === endpoint)
  return {
    service: service?.value ?? 'other',
    ...(service ? {} : { endpoint }),
    ...(region !== '' && { region }),
    bucket: rest.bucket,
    ...(prefix !== '' && { folder: prefix.slice(0, -1) }),
    accessKey: rest.accessKey,
    secretKey: rest.secretKey,
    pathStyle: style,
    ...(capacityBytes !== null && { capacity: String(Math.floor(capacityBytes / GB)) }),
  }
}

/** What the definitions of the fields do not cover. */
function problemsIn(values: FormValues): readonly FieldProblem[] {
  const { bucket, prefix, capacityBytes } = readValues(values)
  const problems: FieldProblem[] = []
  const refuse = (name: string, message: string): void => void problems.push({ field: name, message })
  if (bucket.region === '') refuse('region', 'This service needs the region of the bucket.')
  else if (bucket.endpoint !== '' && hasMoreThanPath(bucket.endpoint))
    refuse('endpoint', 'Endpoint must be an address without a query or a login.')
  else if (bucket.endpoint !== '' && new URL(bucket.endpoint).pathname.split('/').includes(bucket.bucket))
    refuse('endpoint', 'Enter the endpoint without the bucket.')
  if (!/^(?:[a-z\d][a-z\d-]{0,62})?$/i.test(bucket.region)) refuse('region', 'Region has letters, digits and hyphens.')
  if (!/^[\w][\w.-]{1,254}$/.test(bucket.bucket)) refuse('bucket', 'This is not the name of a bucket.')
  if (!/^[\x21-\x7e]+$/.test(bucket.accessKey)) refuse('accessKey', 'Access key has only letters, digits and signs.')
  if (!/^[\x21-\x7e]+$/.test(bucket.secretKey)) refuse('secretKey', 'Secret key has only letters, digits and signs.')
  const hasBadName =
    prefix !== '' &&
    prefix
      .slice(0, -1)
      .split('/')
      .some((name) => /^\.{0,2}$/.test(name))
  if (hasBadName || Buffer.byteLength(prefix) > 512) refuse('folder', 'This is not the path of a folder.')
  if (capacityBytes === 0 || (capacityBytes ?? 0) > Number.MAX_SAFE_INTEGER)
    refuse('capacity', 'Capacity must be from 1 to 9,000,000.')
  return problems
}

function hasMoreThanPath(endpoint: string): boolean {
  const { username, password, search, hash } = new URL(endpoint)
  return [username, password, search, hash].some((part) => part !== '')
}

/** The form. Values are verified at the service: an object is stored, read and deleted. */
export function createS3Form(http: Pick<Http, 'send'>, now: () => number): SignInForm {
  return {
    fields: FIELDS,
    check: problemsIn,
    valuesOf,
    destination: ['service', 'endpoint', 'region', 'pathStyle', 'bucket'],
    folder: { field: 'folder', value: ({ prefix }, { name }) => `${prefix ?? ''}${name}` },
    async exchange(call, values) {
      const found = await findBucket(http, now, call, readValues(values), values)
      const client = createS3Client({ http, bucket: found.bucket, now })
      return credentialsOf({ ...found, ...(await tryWriting(client, call, found.prefix)) })
    },
  }
}

/** The account with the region of its bucket. @throws Forbidden with what is wrong, as text */
async function findBucket(
  http: Pick<Http, 'send'>,
  now: () => number,
  call: Call,
  account: S3Account,
  values: FormValues,
): Promise<S3Account> {
  const { bucket, prefix } = account
  try {
    await listPage(createS3Client({ http, bucket, now }), call, 'exchange', { prefix, limit: 1 })
    return account
  } catch (error) {
    call.signal.throwIfAborted()
    const region = failureOf(error)?.region ?? bucket.region
    const isMoved = isFailure(error, 'Forbidden') || isFailure(error, 'Permanent')
    if (!isMoved || region === bucket.region || values.region === region) throw explained(error, account)
    const again = readValues({ ...values, region })
    await listPage(createS3Client({ http, bucket: again.bucket, now }), call, 'exchange', { prefix, limit: 1 }).catch(
      (second: unknown) => {
        throw explained(second, again)
      },
    )
    return again
  }
}

/** Stores a small object, and learns how the service does that. @throws Forbidden */
async function tryWriting(
  client: S3Client,
  call: Call,
  prefix: string,
): Promise<Pick<S3Account, 'trustsTags' | 'condition'>> {
  const key = `${prefix}.skypool-test-${randomUUID()}`
  const body = Buffer.from(key)
  const md5 = md5Of(body)
  const refusal = (doing: string) => (error: unknown) => {
    call.signal.throwIfAborted()
    throw isFailure(error, 'Forbidden')
      ? refused(`The access key may not ${doing} objects of this bucket.`, error)
      : error
  }
  const object = { key, body, md5, mimeType: 'text/plain' }
  const store = (condition: WriteCondition) => putObject(client, call, 'exchange', object, condition)
  let condition = UNLESS_THERE
  await store(condition)
    .catch((error: unknown) => {
      if (!isConditionRefused(error)) throw error
      condition = {}
      return store(condition)
    })
    .catch(refusal('write'))
  const stored = await head(client, call, 'exchange', key).catch(nothingWhen('NotFound')).catch(refusal('read'))
  await deleteObject(client, call, 'exchange', key).catch(refusal('delete'))
  if (stored?.size === body.length) return { trustsTags: !stored.isOpaque && md5InTag(stored.etag) === md5, condition }
  throw refused('The service did not keep an object that was stored as a test.', null)
}

/** The error for the person who filled in the form. */
function explained(error: unknown, { bucket }: S3Account): unknown {
  if (!(error instanceof ProviderError)) return error
  const failure = failureOf(error)
  const { host } = new URL(bucket.endpoint)
  if (failure === null) {
    if (error.code !== 'Transient') return error
    return refused(
      connectionProblem(error.detail.cause, host) ?? `${host} could not be reached. ${error.detail.message}`,
      error,
    )
  }
  const text = REASONS[failure.code ?? '']
  if (text !== undefined) return refused(text, error)
  if (failure.code === null && failure.status < 500) {
    return refused(`${host} does not answer like a service with the S3 API (status ${failure.status}).`, error)
  }
  return error
}

const REASONS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'The service does not know this access key. Check it, and whether the service is the right one.',
  SignatureDoesNotMatch: 'The access key and the secret key do not belong together. Copy both again.',
  ExpiredToken: 'The access key has expired. Create another one at the service.',
  RequestTimeTooSkewed: 'The clock of this server differs too much from that of the service.',
  NoSuchBucket: 'There is no bucket with this name. Please create it first.',
  InvalidBucketName:
    'The service does not accept this name of a bucket. Copy the name from the list of your buckets there.',
  AccessDenied: 'The access key may not list the objects of this bucket.',
  AuthorizationHeaderMalformed: 'The bucket is in another region.',
  PermanentRedirect: 'The bucket is in another region or has another endpoint.',
  TemporaryRedirect: 'The bucket is in another region or has another endpoint.',
}

function refused(message: string, cause: unknown): ProviderError {
  return new ProviderError('Forbidden', { provider: KIND, operation: 'exchange' }, { message, cause })
}
