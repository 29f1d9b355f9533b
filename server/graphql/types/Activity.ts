import {
  ACTIONS,
  type ActivityPage,
  type Activity as DomainActivity,
  type SubjectType,
} from '../../domain/activity/contract.ts'
import { parsePublicId } from '../../lib/ids.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { checkedPage, DEFAULT_PAGE, pageInfoOf } from '../pages.ts'

const Action = builder.enumType('Action', { values: ACTIONS })

const SubjectKind = builder.enumType('SubjectKind', {
  description: 'Kinds of things that activities are about.',
  values: {
    FILE: { value: 'File', description: 'A file or folder.' },
    SHARE: { value: 'Share', description: 'A public link.' },
    UPLOAD_LINK: { value: 'UploadLink', description: 'A link for uploads into a folder.' },
    ACCOUNT: { value: 'Account', description: 'A storage account.' },
    GROUP_CLOUD: { value: 'GroupCloud', description: 'A group cloud.' },
    API_KEY: { value: 'ApiKey', description: 'An API key.' },
    SESSION: { value: 'Session', description: 'A signed-in browser.' },
    TELEGRAM_ACCOUNT: { value: 'TelegramAccount', description: 'A Telegram account.' },
    TRANSFER: { value: 'Transfer', description: 'A transfer.' },
    USER: { value: 'User', description: 'The user.' },
  } as const satisfies Record<string, { readonly value: SubjectType; readonly description: string }>,
})

const ActorKind = builder.enumType('ActorKind', { values: ['SESSION', 'KEY', 'VISITOR', 'SYSTEM'] as const })

const Activity = builder.objectRef<DomainActivity>('Activity').implement({
  description: 'An entry of the activity log: what was done to your data, and by whom. Kept for a year.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('Activity', id) }),
    at: t.expose('at', { type: 'DateTime' }),
    actorKind: t.expose('actorKind', { type: ActorKind }),
    actorName: t.exposeString('actorName', { description: 'At that time: "Chrome on Linux", or the name of a key.' }),
    address: t.exposeString('address', { description: 'IP address of a session or visitor; empty for other actors.' }),
    action: t.expose('action', { type: Action }),
    subjectKind: t.field({
      type: SubjectKind,
      nullable: true,
      description: 'Kind of the subject.',
      resolve: ({ subjectType }) => subjectType,
    }),
    subjectType: t.exposeString('subjectType', {
      nullable: true,
      description: '"File", "Account"...',
      deprecationReason: 'Please read `subjectKind`.',
    }),
    subjectId: t.id({
      nullable: true,
      description: 'Id of the subject, which may have been deleted since.',
      resolve: ({ subjectType, subjectId }) => (subjectType && subjectId ? globalIdOf(subjectType, subjectId) : null),
    }),
    subjectName: t.exposeString('subjectName', { description: 'Name of the subject at that time.' }),
    count: t.exposeInt('count', { description: 'Number of subjects, when one entry covers several.' }),
    sentence: t.exposeString('sentence', { description: 'The whole entry as text.' }),
  }),
})

type Page = ActivityPage & { readonly isFirst: boolean }

const Edge = builder.objectRef<ActivityPage['items'][number]>('UserActivitiesConnectionEdge').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor'),
    node: t.field({ type: Activity, complexity: 0, resolve: ({ activity }) => activity }),
  }),
})

const UserActivitiesConnection = builder.objectRef<Page>('UserActivitiesConnection').implement({
  fields: (t) => ({
    edges: t.field({ type: [Edge], complexity: { field: 0, multiplier: 1 }, resolve: ({ items }) => [...items] }),
    pageInfo: t.field({ type: builder.pageInfoRef(), complexity: 0, resolve: pageInfoOf }),
  }),
})

builder.prismaObjectField('User', 'activities', (t) =>
  t.field({
    type: UserActivitiesConnection,
    description: 'The activity log, newest first.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      query: t.arg.string({ description: 'Part of a name or an actor; case and accents are ignored.' }),
      actions: t.arg({ type: [Action] }),
      subjectId: t.arg.id({ description: 'Only entries about this subject.' }),
      fileId: t.arg.id({
        description: 'Only entries that involve this file or folder: also together with others, or through its links.',
      }),
    },
    complexity: ({ first }) => ({ field: 1, multiplier: first ?? DEFAULT_PAGE }),
    resolve: async (_user, { first, after, query, actions, subjectId, fileId }, context) => {
      const limit = checkedPage(first)
      const subject = subjectId == null ? undefined : parsePublicId(subjectId)
      const file = fileId == null ? undefined : parsePublicId(fileId)
      if (subject === null || file === null) return { items: [], hasNextPage: false, isFirst: !after }
      const page = await context.services.activity.list(requireViewer(context), {
        limit,
        after: after ?? undefined,
        query: query ?? undefined,
        actions: actions ?? undefined,
        subjectId: subject?.id,
        fileId: file?.id,
      })
      return { ...page, isFirst: !after }
    },
  }),
)
