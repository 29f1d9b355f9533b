import { expect, test } from 'vitest'
import { CLIENTS } from '../tools/demo/scenario.ts'
import { allow, card, choose, connectButton, startConnecting } from './support/connecting.ts'
import { startEmulatedServer } from './support/emulated.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startEmulatedServer)

test('a wrong redirect address is explained, compared on the page of the steps, and connected from there', async () => {
  const { page, problems } = await stage.person('/cloud-integration')
  const client = { id: CLIENTS.GOOGLE_CLIENT_ID, secret: CLIENTS.GOOGLE_CLIENT_SECRET }
  const address = `${stage.url}/oauth/google/callback`
  await stage.server.command('google', 'addClient', { ...client, redirectUris: [`${address}/`] })
  const popup = await startConnecting(page)
  await popup.getByText('redirect_uri_mismatch', { exact: false }).waitFor()
  await page.getByText('If Google warns that it has not verified the app', { exact: false }).waitFor()
  await page.getByText('Did the window show an error?', { exact: false }).waitFor()
  // Sooner it looks like a window that the provider has cut off.
  await page.waitForTimeout(600)
  await popup.close()
  await page.getByText('Popup closed without authorization').waitFor()
  const steps = page.getByRole('dialog').getByRole('link', { name: 'Set up Google Drive' })
  expect(await steps.getAttribute('target')).toBe('_blank')
  await page.goto(`${stage.url}${await steps.getAttribute('href')}`)
  await page.getByText(address, { exact: true }).waitFor()
  await page.getByText('GOOGLE_CLIENT_ID=', { exact: false }).waitFor()
  await page.getByText('Ready', { exact: true }).waitFor()

  await stage.server.command('google', 'addClient', { ...client, redirectUris: [address] })
  await page.getByRole('button', { name: 'Connect Google Drive' }).click()
  await page.getByLabel('Account name').fill('Private')
  const [window] = await Promise.all([page.waitForEvent('popup'), connectButton(page).click()])
  await window.waitForURL('**/@**')
  await allow(page, window, 'maren@post.example')
  await page.goto(`${stage.url}/cloud-integration`)
  await card(page, 'Private - maren@post.example').waitFor()
  expect(problems.filter((problem) => !/400/.test(problem))).toEqual([])
})

test('a form has its steps, which can be read before anything is entered', async () => {
  const { page, problems } = await stage.person('/cloud-integration')
  await choose(page, 'Telegram')
  const dialog = page.getByRole('dialog', { name: 'Connect Telegram' })
  await dialog.getByText('Step by step').click()
  await dialog.getByText('write /newbot to @BotFather and answer its questions', { exact: false }).first().waitFor()
  expect(await dialog.getByRole('listitem').count()).toBeGreaterThan(3)
  expect(problems).toEqual([])
})
