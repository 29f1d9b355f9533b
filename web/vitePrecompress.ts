import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const COMPRESSIBLE = /\.(js|css|html|svg|json|webmanifest|txt)$/
const HASHED = /[\\/]assets[\\/]/
const SMALLEST_BYTES = 1024
const BEST_GZIP = { level: 9 }

/**
 * Writes `x.br` and `x.gz` next to every text file of the build; the server (server/http/webFiles.ts) sends them
 * unchanged.
 */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      if (!dir) return
      await Promise.all(
        Object.values(bundle).map((file) =>
          compress(join(dir, file.fileName), file.type === 'chunk' ? file.code : file.source),
        ),
      )
    },
  }
}

async function compress(path: string, source: string | Uint8Array): Promise<void> {
  const content = typeof source === 'string' ? Buffer.from(source) : source
  if (!COMPRESSIBLE.test(path) || content.length < SMALLEST_BYTES) return
  // A name with a hash says what is in it: another language has made the same file.
  if (HASHED.test(path) && existsSync(`${path}.br`) && existsSync(`${path}.gz`)) return
  // Brotli's default quality is its best (11).
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content))
  await writeFile(`${path}.gz`, await promisify(gzip)(content, BEST_GZIP))
}
