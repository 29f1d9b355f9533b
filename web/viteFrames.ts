import { build } from 'esbuild'
import type { Plugin } from 'vite'

/** Each becomes `/frame/<kind>.html` with one script; server/http/webFiles.ts gives both their policy. */
const KINDS = ['docx', 'pptx', 'epub'] as const
const SOURCES = `${import.meta.dirname}/features/Preview/frame`

/**
 * The pages of the sandboxed preview frames. They are bundled apart from the client: a page without an origin cannot load
 * the client's modules, and nothing of a document library can get into the client's start bundle.
 */
export function previewFrames(): Plugin {
  return {
    name: 'preview-frames',
    async generateBundle() {
      for (const kind of KINDS) {
        this.emitFile({ type: 'asset', fileName: `frame/${kind}.html`, source: pageOf(kind) })
        this.emitFile({ type: 'asset', fileName: `frame/${kind}.js`, source: await scriptOf(kind) })
      }
    },
    configureServer({ middlewares }) {
      for (const kind of KINDS) {
        middlewares.use(`/frame/${kind}.html`, (_request, response) => {
          response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf(kind))
        })
        middlewares.use(`/frame/${kind}.js`, (_request, response, next) => {
          response.setHeader('content-type', 'text/javascript; charset=utf-8')
          scriptOf(kind).then((script) => response.end(script), next)
        })
      }
    },
  }
}

function pageOf(kind: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Preview</title></head><body><script src="/frame/${kind}.js"></script></body></html>\n`
}

async function scriptOf(kind: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${SOURCES}/${kind}.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    // As for the client in English: texts that a frame shows come with its task.
    define: { 'import.meta.env': '{}' },
    logLevel: 'error',
  })
  const [script] = outputFiles
  if (!script) throw new Error(`The preview frame ${kind} has no script`)
  return script.text
}
