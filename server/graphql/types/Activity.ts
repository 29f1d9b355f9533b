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
import { checkedPage, DEFAULT_PAGE } from '../limits.ts'
import { pageInfoOf } from '../pageInfo.ts'

const Action = builder.enumType('Action', { values: ACTIONS })

const SubjectKind = builder.enumType('SubjectKind', {
  description: 'What can have been done something to.',
  values: {
    FILE: { value: 'File', description: 'A file or folder.' },
    SHARE: { value: 'Share', description: 'A public link.' },
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
  description: 'Something that was done to your data, and by whom. Kept for a year.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('Activity', id) }),
    at: t.expose('at', { type: 'DateTime' }),
    actorKind: t.expose('actorKind', { type: ActorKind }),
    actorName: t.exposeString('actorName', { description: 'As it was then: "Chrome on Linux", the name of a key.' }),
    address: t.exposeString('address', { description: 'Where a session or visitor came from; empty for all others.' }),
    action: t.expose('action', { type: Action }),
    subjectKind: t.field({
      type: SubjectKind,
      nullable: true,
      description: 'What kind of thing it was done to.',
      resolve: ({ subjectType }) => subjectType,
    }),
    subjectType: t.exposeString('subjectType', {
      nullable: true,
      description: '"File", "Account"...',
      deprecationReason: 'Please read `subjectKind`.',
    }),
    subjectId: t.id({
      nullable: true,
      description: 'What it was done to, which may be gone by now.',
      resolve: ({ subjectType, subjectId }) => (subjectType && subjectId ? globalIdOf(subjectType, subjectId) : null),
    }),
    subjectName: t.exposeString('subjectName', { description: 'Its name then.' }),
    count: t.exposeInt('count', { description: 'How many things, when one entry stands for several.' }),
    sentence: t.exposeString('sentence', { description: 'All of it in words.' }),
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
    description: 'What was done, newest first.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      query: t.arg.string({ description: 'Part of a name or an actor, in any case, accents or not.' }),
      actions: t.arg({ type: [Action] }),
      subjectId: t.arg.id({ description: 'Only what was done to this one thing.' }),
      fileId: t.arg.id({
        description: 'Only what this file or folder was part of: also among others, or by its links.',
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
