import { readFileSync } from 'node:fs'
import { sourcesOf, withoutComments } from './imports.ts'

const GENERATED = /^server\/db\/generated\//
/** Where SQL belongs: the folder of the noun whose tables it reads and writes, and what the database itself needs. */
const MAY_HAVE_SQL = /^server\/(domain\/[^/]+|db|queue|scripts\/(migration|statements))\//

/** A statement that is run (by pg or by Prisma), or its text. */
const SQL = [
  /\.query\s*(<[^;]*?>)?\s*\(/,
  /\$(query|execute)Raw/,
  /[`'"]\s*(select\s[^`'"]*\bfrom\b|select \d+\b|insert into\s|delete from\s|update\s+[\w."]+(\s+\w+)?\s+set\s)/,
]

/** Files below `folders` with raw SQL outside of a noun's folder, one sentence each; empty when there are none. */
export function findRawSql(root: string, folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => sourcesOf(root, folder))
    .filter((file) => !MAY_HAVE_SQL.test(file) && !GENERATED.test(file))
    .filter((file) => {
      const code = withoutComments(readFileSync(`${root}/${file}`, 'utf8'))
      return SQL.some((pattern) => pattern.test(code))
    })
    .map((file) => `${file} has raw SQL. Move it into the folder of its noun (server/domain/<noun>) or into server/db.`)
}
