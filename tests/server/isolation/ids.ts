import { type IdType, newId, publicId } from '../../../server/lib/ids.ts'

/** One id of each kind that an operation may be tried with. `own` are the asker's. */
export type Ids = {
  readonly file: string
  readonly groupCloud: string
  readonly account: string
  readonly upload: string
  readonly transfer: string
  readonly job: string
  /** A group of duplicates. */
  readonly duplicates: string
  readonly earlierVersion: string
  readonly version: string
  readonly telegramAccount: string
  readonly session: string
  readonly invitation: string
  readonly apiKey: string
  readonly tag: string
  readonly copy: string
  readonly share: string
  /** A share of the same owner that was taken back. */
  readonly endedShare: string
  /** An upload link of the same owner, one that has ended, and a visitor's upload through the first. */
  readonly uploadLink: string
  readonly endedUploadLink: string
  readonly linkUpload: string
  /** Of any type. */
  readonly node: string
  readonly own: {
    readonly file: string
    readonly groupCloud: string
    readonly folderShare: string
    readonly uploadLink: string
    readonly tag: string
    readonly account: string
    /** The folder of an account, of which copies are kept. */
    readonly protectedFolder: string
  }
}

/** Operation -> id that it takes -> the attempt. */
export type Table<Attempt> = Readonly<Record<string, Readonly<Record<string, (ids: Ids) => Attempt>>>>

const TYPES = new Map<string, IdType>([
  ['user', 'User'],
  ['acct', 'Account'],
  ['pool', 'GroupCloud'],
  ['file', 'File'],
  ['copy', 'Copy'],
  ['upl', 'Upload'],
  ['xfer', 'Transfer'],
  ['job', 'Job'],
  ['tg', 'TelegramAccount'],
  ['sess', 'Session'],
  ['inv', 'Invitation'],
  ['key', 'ApiKey'],
  ['tag', 'Tag'],
  ['share', 'Share'],
  ['drop', 'UploadLink'],
  ['sent', 'LinkUpload'],
  ['dup', 'DuplicateGroup'],
  ['prev', 'EarlierVersion'],
  ['ver', 'FileVersion'],
])

/** An id of the same type as this one, of a thing that never was. */
export function unknownLike(id: string): string {
  const type = TYPES.get(id.split('_')[0] ?? '')
  if (!type) throw new Error(`${id} is not an id.`)
  return publicId(type, newId())
}

/** The text with every id in it, in either form, made the same. */
export function withoutIds(text: string): string {
  return text
    .replace(
      /\b(user|key|tag|acct|pool|file|copy|upl|xfer|job|tg|sess|inv|share|drop|sent|dup|prev|ver)_[0-9a-f]{32}\b/g,
      '$1_ID',
    )
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID')
}
