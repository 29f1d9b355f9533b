import { existsSync } from 'node:fs'

// The CLI only generates code here; it never needs the schema engine binary, which it would otherwise download.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??=
  ['/bin/true', '/usr/bin/true'].find((path) => existsSync(path)) ?? process.execPath

import { defineConfig } from 'prisma/config'

export default defineConfig({ schema: 'prisma/schema.prisma', migrations: { path: 'prisma/migrations' } })
