import { z } from 'zod'

const PATH = '/(.|[\\r\\n])*'
const NAMESPACE = '(ns:[0-9]+(/(.|[\\r\\n])*)?)'
const MAX_CALL_FILES = 1000

/** A string of one of the service's path forms; the message is the service's own. */
function matching(pattern: string) {
  const whole = new RegExp(`^(?:${pattern})$`)
  return z.string().superRefine((value, context) => {
    if (!whole.test(value))
      context.addIssue({ code: 'custom', message: `'${value}' did not match pattern '${pattern}'` })
  })
}

const readPath = matching(`(${PATH}|id:.*)|(rev:[0-9a-f]{9,})|${NAMESPACE}`)
const folderPath = matching(`(${PATH})?|id:.*|${NAMESPACE}`).refine((path) => path !== '/', {
  message: 'Specify the root folder as an empty string rather than as "/".',
})
const writePath = matching(`(${PATH})|${NAMESPACE}`)
const writePathOrId = matching(`(${PATH})|${NAMESPACE}|(id:.*)`)
const rev = matching('[0-9a-f]{9,}')
const hash = z.string().length(64).nullish()
const flag = z.boolean().default(false)
const timestamp = z.string().refine((value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value), {
  message: "time data does not match format '%Y-%m-%dT%H:%M:%SZ'",
})
const offset = z.int().min(0)

/** Members without content come as a name, or as an object with the name for a tag. */
function oneOf<const Names extends readonly string[]>(names: Names) {
  const plain = z.enum(names)
  return z.union([plain, z.strictObject({ '.tag': plain }).transform((value) => value['.tag'])])
}

const writeMode = z.union([
  oneOf(['add', 'overwrite']),
  z.strictObject({ '.tag': z.literal('update').optional(), update: rev }).transform(({ update }) => ({ update })),
])
const commitInfo = {
  path: writePathOrId,
  mode: writeMode.default('add'),
  autorename: flag,
  client_modified: timestamp.nullish(),
  mute: flag,
  property_groups: z.array(z.unknown()).nullish(),
  strict_conflict: flag,
}
const sessionCursor = z.strictObject({ session_id: z.string(), offset })
const finishArg = z.strictObject({
  cursor: sessionCursor,
  commit: z.strictObject(commitInfo),
  content_hash: hash,
})
const listFolder = z.strictObject({
  path: folderPath,
  recursive: flag,
  include_media_info: flag,
  include_deleted: flag,
  include_has_explicit_shared_members: flag,
  include_mounted_folders: z.boolean().default(true),
  limit: z.int().min(1).max(2000).nullish(),
  shared_link: z.null().optional(),
  include_property_groups: z.unknown().optional(),
  include_non_downloadable_files: z.boolean().default(true),
  include_restorable_info: flag,
})
const relocation = z.strictObject({
  from_path: writePathOrId,
  to_path: writePathOrId,
  allow_shared_folder: flag,
  autorename: flag,
  allow_ownership_transfer: flag,
})
const linkSettings = z.strictObject({
  require_password: z.boolean().nullish(),
  link_password: z.string().nullish(),
  expires: timestamp.nullish(),
  audience: oneOf(['public', 'team', 'no_one', 'password', 'members']).nullish(),
  access: oneOf(['viewer', 'editor', 'max', 'default']).nullish(),
  requested_visibility: oneOf(['public', 'team_only', 'password']).nullish(),
  allow_download: z.boolean().nullish(),
})

/** What each route takes; nothing else is let through. */
export const ARGS = {
  nothing: z.null(),
  echo: z.strictObject({ query: z.string().max(500).default('') }),
  upload: z.strictObject({ ...commitInfo, content_hash: hash }),
  start: z.strictObject({
    close: flag,
    session_type: oneOf(['sequential', 'concurrent']).nullish(),
    content_hash: hash,
  }),
  append: z.strictObject({ cursor: sessionCursor, close: flag, content_hash: hash }),
  finish: finishArg,
  finishBatch: z.strictObject({ entries: z.array(finishArg).max(MAX_CALL_FILES) }),
  jobId: z.strictObject({ async_job_id: z.string().min(1) }),
  download: z.strictObject({ path: readPath, rev: rev.nullish() }),
  export: z.strictObject({ path: readPath, export_format: z.string().nullish() }),
  thumbnail: z.strictObject({
    resource: z.strictObject({ '.tag': z.literal('path'), path: readPath }),
    format: oneOf(['jpeg', 'png']).nullish(),
    size: z.string().regex(/^w\d+h\d+$/),
    mode: oneOf(['strict', 'bestfit', 'fitone_bestfit']).nullish(),
  }),
  path: z.strictObject({ path: readPath }),
  getMetadata: z.strictObject({
    path: readPath.refine((path) => path !== '' && path !== '/', { message: 'The root folder is unsupported.' }),
    include_media_info: flag,
    include_deleted: flag,
    include_has_explicit_shared_members: flag,
    include_property_groups: z.unknown().optional(),
  }),
  listFolder,
  cursor: z.strictObject({ cursor: z.string().min(1) }),
  longpoll: z.strictObject({ cursor: z.string().min(1), timeout: z.int().min(30).max(480).default(30) }),
  createFolder: z.strictObject({ path: writePath, autorename: flag }),
  remove: z.strictObject({ path: writePathOrId, parent_rev: rev.nullish() }),
  relocation,
  createLink: z.strictObject({ path: readPath, settings: linkSettings.nullish() }),
  modifyLink: z.strictObject({ url: z.string(), settings: linkSettings, remove_expiration: flag }),
  listLinks: z.strictObject({
    path: readPath.nullish(),
    cursor: z.string().nullish(),
    direct_only: z.boolean().nullish(),
  }),
  url: z.strictObject({ url: z.string() }),
}

export type CommitInfo = z.infer<typeof ARGS.upload>
export type FinishArg = z.infer<typeof finishArg>
export type ListFolderArg = z.infer<typeof listFolder>
export type LinkSettings = z.infer<typeof linkSettings>

/** What is wrong with an argument, in the words of the service. */
export function problemWith(error: z.ZodError): string {
  const [issue] = error.issues
  if (!issue) return 'could not be read'
  const field = issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''
  return field + (issue.code === 'unrecognized_keys' ? `unknown field '${issue.keys[0]}'` : issue.message)
}
