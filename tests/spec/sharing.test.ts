import { describe, expect } from 'vitest'
import { startEmulatedServer } from '../e2e/support/emulated.ts'
import { setStage } from '../e2e/support/stage.ts'
import { line } from './line.ts'

const stage = setStage(startEmulatedServer)

async function shared(): Promise<string> {
  const { page } = await stage.person('/privacy-policy')
  const headers = { origin: stage.url }
  const file = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('north wall') }
  const { id } = await (await page.request.post(`${stage.url}/api/v1/files`, { multipart: { file }, headers })).json()
  const share = await page.request.post(`${stage.url}/api/v1/shares`, { data: { fileId: id }, headers })
  return (await share.json()).url
}

describe('the page of a public link', () => {
  line('2.9', async () => {
    const url = await shared()
    const { page } = await stage.anonymous()
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    await page.goto(`${stage.url}/login`)
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    expect(loaded.filter((path) => /\/Share-/.test(path))).toEqual([])
    await page.goto(url)
    await page.getByText('plan.txt').first().waitFor()
    expect(loaded.filter((path) => /\/Share-/.test(path))).not.toEqual([])
  })

  line('2.13', async () => {
    const url = await shared()
    const { page } = await stage.person('/file-manager')
    await page.getByRole('heading', { name: 'All Files' }).waitFor()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) asked.push(request.postDataJSON()?.operationName ?? '')
    })
    await page.goto(url)
    await page.getByText('plan.txt').first().waitFor()
    expect(asked).toEqual([expect.stringMatching(/^Share/)])
  })
})
