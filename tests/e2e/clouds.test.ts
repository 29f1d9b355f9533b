import { expect, test } from 'vitest'
import { screenshot, type Visit } from './support/browser.ts'
import { allow, card, connect, popupOf, startConnecting } from './support/connecting.ts'
import { consent, poolAll, startEmulatedServer } from './support/emulated.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(() => startEmulatedServer({ PCLOUD_CLIENT_ID: '' }))

async function open(): Promise<Visit> {
  const opened = await stage.person('/cloud-integration')
  await opened.page.getByRole('heading', { level: 1, name: 'Cloud Integration' }).waitFor()
  return opened
}

test('two Google accounts and a Dropbox are connected, one expires and is connected again, one is disconnected', async () => {
  const { page, problems } = await open()
  await page.getByText('No connected accounts').waitFor()
  await screenshot(page, 'clouds-empty')
  await page.getByRole('button', { name: 'Add Cloud Storage' }).waitFor()

  await connect(page, 'maren@post.example')
  await connect(page, 'studio@post.example', { name: 'Studio' })
  await connect(page, 'box@post.example', { provider: 'Dropbox', name: 'Boxes' })
  await expect.poll(() => page.getByRole('tab', { name: 'Connected Accounts' }).textContent()).toContain('3')
  const first = card(page, 'Private - maren@post.example')
  await first.getByText('Connected', { exact: true }).waitFor()
  await first.getByText('of 15.00 GB').waitFor()
  await first.getByText('Connected at just now').waitFor()
  await screenshot(page, 'clouds-connected')

  // An account in use is asked how it is every few seconds, an idle one once a minute.
  await poolAll(page, stage.url)
  await stage.server.command('google', 'revokeUser', { user: 'maren@post.example' })
  await first.getByText('Expired').waitFor({ timeout: 120_000 })
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    first.getByRole('button', { name: 'Re-connect' }).click(),
  ])
  await page.getByText('Reconnection initiated').waitFor()
  await consent(popup, 'maren@post.example')
  await page.getByText('Reconnection successfully').waitFor()
  await first.getByText('Connected', { exact: true }).waitFor()

  await card(page, 'Boxes - box@post.example').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('Account disconnected').waitFor()
  await card(page, 'Boxes - box@post.example').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('the space of an account counts once it is in a group cloud, and that is offered as soon as it is connected', async () => {
  const { page, problems } = await open()
  const space = page.getByTestId('pool-summary')
  await expect.poll(() => space.textContent()).toContain('15.00 GB free')
  await consent(await startConnecting(page), 'maren@post.example')
  const offer = page.getByRole('dialog')
  const add = offer.getByRole('button', { name: 'Add to My Cloud' })
  await add.waitFor()
  await offer.getByText('30.00 GB', { exact: true }).waitFor()
  expect(await space.textContent()).toContain('of 15.00 GB')
  await add.click()
  await add.waitFor({ state: 'detached' })
  await expect.poll(() => space.textContent()).toContain('30.00 GB free')
  expect(problems).toEqual([])
})

test('a window that is closed, denied, blocked or another login ends in words', async () => {
  const { page, problems } = await open()

  const closed = await startConnecting(page)
  await page.getByRole('button', { name: 'Connecting...' }).waitFor()
  // A person needs as long: a window that is gone sooner is one that the provider cut off.
  await page.waitForTimeout(500)
  await closed.close()
  await page.getByText('Popup closed without authorization').waitFor()
  await page.getByRole('button', { name: 'Connect', exact: true }).waitFor()
  await page.keyboard.press('Escape')

  await consent(await startConnecting(page, { provider: 'Dropbox', name: 'Boxes' }), 'box@post.example', 'deny')
  await page.getByText('Access was denied').waitFor()
  await page.keyboard.press('Escape')

  await page.evaluate(() => {
    window.open = () => null
  })
  await page.getByRole('button', { name: 'Add Storage' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Dropbox/ })
    .click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('Please provide a name for this connection').waitFor()
  await page.getByLabel('Account name').fill('Boxes')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('Popup blocked').waitFor()
  await page.reload()

  await connect(page, 'maren@post.example')
  const other = await popupOf(page, () => card(page, 'Private').getByRole('button', { name: 'Re-connect' }).click())
  await consent(other, 'studio@post.example')
  await page.getByText('The account could not be connected again').waitFor()
  await card(page, 'Private - maren@post.example').getByText('Connected', { exact: true }).waitFor()
  expect(problems.filter((problem) => !/409|without code/.test(problem))).toEqual([])
})

test('a provider whose pages cut off their opener is connected all the same', async () => {
  const { page } = await open()
  await stage.server.command('google', 'coop', { on: true })
  try {
    await connect(page, 'maren@post.example')
  } finally {
    await stage.server.command('google', 'coop', { on: false })
  }
})

test('a callback page that is slow to load is waited for', async () => {
  const { page } = await open()
  const popup = await startConnecting(page)
  // Sooner than this, a window that looks closed is taken for one that the provider has cut off.
  await page.waitForTimeout(500)
  await popup.route('**/assets/OAuthCallback-*.js', async (route) => {
    await page.waitForTimeout(3000)
    await route.continue()
  })
  await allow(page, popup, 'maren@post.example')
})

test('what cannot be connected says why', async () => {
  const { page } = await open()
  await page.getByRole('tab', { name: 'Add New Connection' }).click()
  await page.getByRole('heading', { name: 'How your accounts stay safe' }).waitFor()
  await screenshot(page, 'clouds-add')
  await page.getByRole('button', { name: /^pCloud/ }).click()
  await page.getByText(/pCloud is not set up on this server/).waitFor()
})
