const GRAPHQL = '/graphql'
const QUERY = '{ viewer { files(view: ALL, first: 10) { edges { node { name size } } } } }'

/** A command for a shell; without a key it asks for one. */
export function restExample(origin: string, key: string | undefined): string {
  return ['curl', bearer(key), quote(`${origin}/api/v1/files?limit=10`)].join(' \\\n  ')
}

/** The same by GraphQL. */
export function graphqlExample(origin: string, key: string | undefined): string {
  const body = `--data ${quote(JSON.stringify({ query: QUERY }))}`
  const type = `--header ${quote('Content-Type: application/json')}`
  return ['curl', bearer(key), type, body, quote(origin + GRAPHQL)].join(' \\\n  ')
}

const bearer = (key: string | undefined) => `--header ${quote(`Authorization: Bearer ${key ?? 'YOUR_KEY'}`)}`

/** For a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
