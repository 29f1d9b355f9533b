// The least GraphQL can do for a page of a folder: bare Yoga, one keyset statement by pg, no session, no policy.
import { createServer } from 'node:http'
import { createSchema, createYoga } from 'graphql-yoga'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 })

const page = {
  name: 'page',
  text: `select id, name, kind, category, mime_type as "mimeType", size::float8 as size, starred, state,
      created_at as "createdAt", updated_at as "updatedAt"
    from files where user_id = $1 and coalesce(parent_id, '00000000-0000-0000-0000-000000000000'::uuid) = $2
      and kind = 'FILE' and trashed_at is null and purged_at is null
    order by sort_key, id limit $3`,
}

const yoga = createYoga({
  logging: false,
  graphiql: false,
  schema: createSchema({
    typeDefs: `
      type File { id: ID! name: String! kind: String! category: String! mimeType: String size: Float! starred: Boolean! state: String! createdAt: String! updatedAt: String! }
      type Query { files(userId: ID!, parentId: ID!, first: Int!): [File!]! }`,
    resolvers: {
      Query: {
        files: async (_root: unknown, args: { userId: string; parentId: string; first: number }) =>
          (await pool.query({ ...page, values: [args.userId, args.parentId, args.first] })).rows,
      },
      File: {
        createdAt: (file: { createdAt: Date }) => file.createdAt.toISOString(),
        updatedAt: (file: { updatedAt: Date }) => file.updatedAt.toISOString(),
      },
    },
  }),
})

createServer(yoga).listen(Number(process.env.PORT), '127.0.0.1')
