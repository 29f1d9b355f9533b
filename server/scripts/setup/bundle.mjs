import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle } from './bundler.mjs'

const OUTFILE = 'dist/server/app.js'
const ENTRY = 'dist/server/main.cjs'

// An older version's build under another name must not be served by mistake.
rmSync(dirname(OUTFILE), { recursive: true, force: true })

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
