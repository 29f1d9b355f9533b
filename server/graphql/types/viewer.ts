import { builder } from '../builder.ts'
import { User } from './User.ts'

builder.queryField('viewer', (t) =>
  t.field({
    type: User,
    nullable: true,
    description: 'The signed-in user; null when nobody is.',
    complexity: 0,
    resolve: (_root, _args, context) => {
      const viewer = context.viewer()
      return viewer && { id: viewer.userId }
    },
  }),
)
