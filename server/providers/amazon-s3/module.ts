import type { Capabilities, Driver, ProviderModule } from '../driver.ts'
import type { Http } from '../shared/http.ts'
import { createS3Client, DEFAULT_LIMITS, KIND, type S3Limits } from './client.ts'
import { copy } from './copy.ts'
import { download } from './download.ts'
import { MAX_NAME_BYTES, ROOT } from './entry.ts'
import { ensureFolder, list, listAll, remove, requireFolder, type S3Context, stat } from './files.ts'
import { accountOf, createS3Form, type S3Account } from './form.ts'
import { move } from './move.ts'
import { createPlaces } from './places.ts'
import { abandon, MAX_OBJECT_BYTES, put } from './put.ts'

export type AmazonS3Deps = {
  /** For addresses that users type in. */
  readonly http: Pick<Http, 'send'>
  /** Smaller limits for tests. */
  readonly limits?: Partial<S3Limits>
  readonly now?: () => number
}

/** Amazon S3 and services with its API. */
export function amazonS3Module({ http, limits, now = Date.now }: AmazonS3Deps): ProviderModule {
  return {
    kind: KIND,
    signIn: { by: 'FORM', form: createS3Form(http, now) },
    open(credentials) {
      const account = accountOf(credentials)
      const client = createS3Client({ http, bucket: account.bucket, now })
      const { prefix, trustsTags, condition } = account
      const settings = { prefix, trustsTags, condition, limits: { ...DEFAULT_LIMITS, ...limits } }
      return createS3Driver({ client, places: createPlaces(now), ...settings }, account)
    },
  }
}

const CAPABILITIES: Capabilities = {
  hash: 'md5',
  duplicateNames: false,
  caseSensitive: true,
  maxObjectBytes: MAX_OBJECT_BYTES,
  maxNameLength: MAX_NAME_BYTES,
  nameUnit: 'bytes',
  pathRefs: true,
  maxConcurrency: 16,
  // Each holds a part in memory.
  maxConcurrentWrites: 4,
  resumable: true,
}

/** The driver of one account. */
function createS3Driver(context: S3Context, { bucket, prefix, capacityBytes }: S3Account): Driver {
  const changing = <Value>(work: Promise<Value>): Promise<Value> => work.finally(context.places.forget)
  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: ROOT,
    async identity(call) {
      await requireFolder(context, call, 'identity', ROOT)
      const place = `${bucket.bucket}/${prefix}`.replace(/\/$/, '')
      // The place and not the key, which can be replaced.
      const subject = `${new URL(bucket.endpoint).host}/${place}`
      return { subject, email: null, name: place, place: subject }
    },
    async quota(call) {
      // The service reports none, but whether the access is still valid.
      await requireFolder(context, call, 'quota', ROOT)
      if (capacityBytes === null) return { state: 'UNKNOWN', usedBytes: null, totalBytes: null }
      return { state: 'KNOWN', usedBytes: null, totalBytes: capacityBytes }
    },
    stat: (call, ref) => stat(context, call, ref),
    list: (call, folder, cursor) => list(context, call, folder, cursor),
    listAll: (call, cursor) => listAll(context, call, cursor),
    get: (call, ref, range) => download(context, call, ref, range ?? null),
    put: (call, entry, content, progress) => put(context, { call, entry, content, progress }),
    abandon: (call, session, isNeeded) => changing(abandon(context, call, session, isNeeded)),
    delete: (call, ref) => changing(remove(context, call, ref)),
    ensureFolder: (call, parent, name) => ensureFolder(context, call, parent, name),
    move: (call, ref, to) => changing(move(context, call, ref, to)),
    copy: (call, ref, entry, progress) => changing(copy(context, call, ref, entry, progress)),
  }
}
