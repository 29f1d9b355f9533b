import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCorpus } from '../factories/corpus.ts'
import { type FilesServer, startFilesServer } from '../setup/filesServer.ts'

/** A small part of what `npm run thumbnail-corpus` does, without its bounds of time: a picture or an honest "none" for each file. */
let server: FilesServer
beforeAll(async () => {
  server = await startFilesServer()
})
afterAll(() => server.close())

it('each file of a corpus of whole and damaged ones has a picture, or none, and the server stays up', async () => {
  const { browser, cookie } = await server.signIn()
  const files = await makeCorpus({ images: 24, pdfs: 13, films: 4, offices: 15, texts: 9 })
  const wrong: string[] = []
  for (const { name, bytes, expected } of files) {
    const form = new FormData()
    form.set('file', new File([new Uint8Array(bytes)], name))
    const { status: uploaded, body } = await browser.request('POST', '/api/v1/files', form)
    if (uploaded !== 201) {
      wrong.push(`${name}: not uploaded (${uploaded})`)
      continue
    }
    const response = await fetch(`${server.url}/api/v1/files/${body.id}/thumbnail`, { headers: { cookie } })
    const type = response.headers.get('content-type') ?? ''
    const answer = await response.arrayBuffer()
    const found = response.status === 200 && type.startsWith('image/') && answer.byteLength > 0 ? 'PICTURE' : 'NONE'
    const isHonest = found === 'PICTURE' || response.status === 404
    if (!isHonest || (expected !== 'EITHER' && found !== expected))
      wrong.push(`${name}: ${response.status} ${type}, not ${expected}`)
  }
  expect(wrong).toEqual([])
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
}, 180_000)
