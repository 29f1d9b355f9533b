import type { ActivityPageQuery } from '../../__generated__/ActivityPageQuery.graphql.ts'
import { messages } from './messages.ts'

export type Action = NonNullable<NonNullable<ActivityPageQuery['variables']['actions']>[number]>
export type Kind = keyof typeof messages.activity.kinds

/** What the log can be narrowed to. */
export const ACTIONS_OF: Readonly<Record<Kind, readonly Action[]>> = {
  files: [
    'FILE_UPLOADED',
    'FILE_DOWNLOADED',
    'FILE_RENAMED',
    'FILE_MOVED',
    'FILE_MOVED_TO_GROUP_CLOUD',
    'FILE_COPIED',
    'FILE_STARRED',
    'FILE_UNSTARRED',
    'FILE_TAGGED',
    'FILE_UNTAGGED',
    'FOLDER_COLORED',
    'FILE_TRASHED',
    'FILE_RESTORED',
    'FILE_DELETED',
    'TRASH_EMPTIED',
    'FOLDER_CREATED',
    'FOLDER_PROTECTED',
    'FOLDER_UNPROTECTED',
    'VERSION_RESTORED',
    'VERSION_DELETED',
    'FILE_EDITED',
    'TRANSFER_CANCELLED',
  ],
  sharing: [
    'SHARE_CREATED',
    'SHARE_CHANGED',
    'SHARE_REVOKED',
    'SHARE_OPENED',
    'SHARE_DOWNLOADED',
    'SHARE_PASSWORD_REFUSED',
    'SHARE_UNAVAILABLE',
    'SHARE_REPORTED',
    'UPLOAD_LINK_CREATED',
    'UPLOAD_LINK_CHANGED',
    'UPLOAD_LINK_REVOKED',
    'UPLOAD_LINK_PASSWORD_REFUSED',
    'FILE_RECEIVED',
  ],
  accounts: [
    'ACCOUNT_CONNECTED',
    'ACCOUNT_RECONNECTED',
    'ACCOUNT_CHANGED',
    'ACCOUNT_CONTENT_CHOSEN',
    'ACCOUNT_EXPIRED',
    'ACCOUNT_DISCONNECTED',
    'GROUP_CLOUD_CREATED',
    'GROUP_CLOUD_CHANGED',
    'GROUP_CLOUD_DELETED',
    'MEMBER_DRAINED',
  ],
  keys: ['KEY_CREATED', 'KEY_REGENERATED', 'KEY_REVOKED'],
  security: [
    'SIGNED_UP',
    'SIGNED_IN',
    'SIGN_IN_REFUSED',
    'SIGNED_OUT',
    'SESSION_ENDED',
    'NAME_CHANGED',
    'PASSWORD_CHANGED',
    'PASSWORD_RESET_ASKED',
    'PASSWORD_RESET',
  ],
}

export const KINDS = Object.keys(messages.activity.kinds) as Kind[]
