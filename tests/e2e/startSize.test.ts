import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { dropFiles, item } from './support/fileManager.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

/** All JavaScript that stands between a person and their files, gzipped. */
const MOST_KIB = 200

const stage = setStage()

test(`the file manager shows its list after at most ${MOST_KIB} KiB of JavaScript, in no file without any`, async () => {
  const { page, context } = await stage.person('/file-manager/my-drive')
  await page.getByText('My Drive is empty').waitFor()
  await dropFiles(page, page.getByRole('main'), tenSamples().slice(0, 2))
  await item(page, 'Harbour view').waitFor()
  const storageState = await context.storageState()
  await context.close()

  const cold = await stage.anonymous({ storageState })
  const scripts = new Set<string>()
  cold.page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js')) scripts.add(pathname)
  })
  await cold.page.goto(`${stage.url}/file-manager`)
  await item(cold.page, 'Harbour view').waitFor()
  await cold.page.waitForLoadState('load')
  const read = [...scripts].map((path) => ({ path, code: readFileSync(join('dist', 'web', path)) }))
  expect(read.flatMap(({ path, code }) => (code.length === 0 ? [path] : []))).toEqual([])
  const sizes = read.map(({ code }) => gzipSync(code).length)
  const kib = sizes.reduce((sum, size) => sum + size, 0) / 1024
  console.log(`/file-manager starts with ${kib.toFixed(1)} KiB of JavaScript in ${sizes.length} files, gzipped`)
  expect(sizes.length).toBeGreaterThan(0)
  expect(kib).toBeLessThanOrEqual(MOST_KIB)
})
