import { builder } from '../builder.ts'

builder.relayMutationField(
  'logout',
  { inputFields: () => ({}) },
  {
    extensions: { scope: 'SESSION' },
    resolve: async (_root, _args, { services, viewer, signOut }) => {
      const leaving = viewer()
      if (leaving) await services.users.logout(leaving)
      signOut()
      return { loggedOut: true }
    },
  },
  { outputFields: (t) => ({ loggedOut: t.exposeBoolean('loggedOut') }) },
)
