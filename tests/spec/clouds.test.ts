import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { allow, card, choose, connect, connectButton, popupOf, startConnecting } from '../e2e/support/connecting.ts'
import { consent, startEmulatedServer } from '../e2e/support/emulated.ts'
import { setStage } from '../e2e/support/stage.ts'
import { line } from './line.ts'
import { toastOf } from './support.ts'

const stage = setStage(() => startEmulatedServer({ PCLOUD_CLIENT_ID: '' }))
const MAREN = 'maren@post.example'

async function open(options = {}) {
  const opened = await stage.person('/cloud-integration', options)
  await opened.page.getByRole('heading', { level: 1, name: 'Cloud Integration' }).waitFor()
  return opened
}

/** Goes to our callback page in a window that a script has opened. */
async function callback(page: Page, query: string): Promise<{ popup: Page; said: string[] }> {
  const said: string[] = []
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(() => {
      window.open('about:blank', 'callback')
    }),
  ])
  popup.on('console', (message) => message.type() === 'error' && said.push(message.text()))
  await popup.goto(`${stage.url}/oauth/google/callback${query}`).catch(() => undefined)
  return { popup, said }
}

describe('the callback page', () => {
  line('2.10', async () => {
    const { page } = await open()
    const heard = page.evaluate(
      () => new Promise((resolve) => window.addEventListener('message', ({ data }) => resolve(data), { once: true })),
    )
    const { popup } = await callback(page, '?code=c1&state=s1')
    expect(await heard).toMatchObject({ service: 'google', code: 'c1', state: 's1' })
    await expect.poll(() => popup.isClosed()).toBe(true)
  })

  line('2.11', async () => {
    const { page } = await open()
    const { popup, said } = await callback(page, '?code=c1')
    await expect.poll(() => popup.isClosed()).toBe(true)
    expect(said).toEqual([expect.stringContaining('without code or state')])
  })

  line('2.12', async () => {
    const { page } = await stage.anonymous()
    await page.goto(`${stage.url}/oauth/google/callback?code=c1&state=s1`)
    await page.getByText('Processing google authorization...').waitFor()
  })
})

describe('the page', () => {
  line('2.45', async () => {
    const { page } = await open()
    for (const name of [/^Connected Accounts/, 'Add New Connection']) await page.getByRole('tab', { name }).waitFor()
    await page.getByRole('button', { name: 'Add Storage' }).click()
    await page.getByRole('dialog').getByRole('heading', { name: 'Add Storage' }).waitFor()
  })

  line('2.46', async () => {
    const { page } = await open()
    await page.getByText('No connected accounts').waitFor()
    await page.getByRole('button', { name: 'Add Cloud Storage' }).click()
    await page.getByRole('dialog').getByRole('heading', { name: 'Add Storage' }).waitFor()
  })

  line('2.47', async () => {
    const { page } = await open()
    const shown = await connect(page, MAREN)
    for (const text of ['Google Drive', 'Connected', /^Connected at/]) {
      await shown.getByText(text, { exact: true }).first().waitFor()
    }
  })

  line('2.48', async () => {
    const { page } = await open()
    const shown = await connect(page, MAREN)
    await shown.getByText('of 15.00 GB').waitFor()
    for (const name of ['Re-connect', 'Disconnect']) await shown.getByRole('button', { name }).waitFor()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('useFreshQuotasMutation')) await released
      await route.continue()
    })
    await page.reload()
    await shown.getByTestId('skeleton').first().waitFor()
    release()
    await shown.getByText('of 15.00 GB').waitFor()
  })

  line('2.49', async () => {
    const { page } = await open()
    await choose(page, 'Google Drive')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Account name').waitFor()
    await dialog.getByText('A Google Drive window opens. Sign in there and allow access.').waitFor()
    await dialog.getByText('Google Drive sends you back here. The window closes by itself.').waitFor()
  })

  line('2.50', async () => {
    const { page } = await open()
    await choose(page, 'Google Drive')
    const told = await page.getByRole('dialog').textContent()
    expect(told).toMatch(/all (your )?files|every file/i)
  })

  line('2.51', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Add Storage' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor()
    await dialog.getByRole('button', { name: /^Dropbox/ }).click()
    await dialog.getByRole('button', { name: 'Back' }).waitFor()
    await dialog.getByLabel('Account name').fill('Boxes')
    const popup = await popupOf(page, () => connectButton(page).click())
    await dialog.getByRole('button', { name: 'Connecting...' }).waitFor()
    await popup.close()
  })

  line('2.52', async () => {
    const { page } = await open()
    await page.getByRole('tab', { name: 'Add New Connection' }).click()
    const names = [
      'Google Drive',
      'Dropbox',
      'OneDrive',
      'Box',
      'GitHub',
      'SFTP',
      'WebDAV',
      'Amazon S3',
      'Google Photos',
    ]
    for (const name of [...names, 'MEGA', 'pCloud']) {
      await page
        .getByRole('button', { name: new RegExp(`^${name}`) })
        .first()
        .waitFor()
    }
    for (const text of [/never sees or stores your password/, /^Limited access/i, /^Revoke anytime/i]) {
      await page.getByText(text).first().waitFor()
    }
  })

  line('7.28', async () => {
    const { page } = await open()
    await connect(page, MAREN)
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.postData()?.includes('useFreshQuotasMutation') ?? false),
      startConnecting(page, { name: 'Studio' }).then((popup) => consent(popup, 'studio@post.example')),
    ])
    const { variables } = request.postDataJSON() as { variables: { input: { ids: string[] } } }
    expect(variables.input.ids).toHaveLength(2)
  })

  line('4.10', async () => {
    const { page } = await open()
    const shown = await connect(page, 'studio@post.example')
    expect(await shown.getByText('Connected', { exact: true }).getAttribute('data-tone')).toBe('success')
    await stage.server.command('google', 'revokeUser', { user: 'studio@post.example' })
    // The page asks each account how full it is, and so finds out at once; tests/e2e/clouds waits until the server does.
    await page.reload()
    await shown.getByText('Expired').waitFor()
    expect(await shown.getByText('Expired').getAttribute('data-tone')).toBe('warning')
  })
})

describe('connecting', () => {
  line('4.13', async () => {
    const { page } = await open()
    const popup = await startConnecting(page)
    const { searchParams } = new URL(popup.url())
    const { clientId } = await (await page.request.get(`${stage.url}/api/v1/google-accounts/client-id`)).json()
    expect(searchParams.get('client_id')).toBe(clientId)
    expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/)
    expect(searchParams.get('redirect_uri')).toBe(`${stage.url}/oauth/google/callback`)
    await allow(page, popup, MAREN)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await card(page, `Private - ${MAREN}`).waitFor()
    await page.getByRole('button', { name: 'Add Storage' }).click()
    await page.getByRole('dialog').getByRole('heading', { name: 'Add Storage' }).waitFor()
  })

  line('4.14', async () => {
    const { page } = await open()
    await connect(page, MAREN)
    const id = async () => (await (await page.request.get(`${stage.url}/api/v1/google-accounts`)).json()).items[0].id
    const before = await id()
    const button = card(page, `Private - ${MAREN}`).getByRole('button', { name: 'Re-connect' })
    await consent(await popupOf(page, () => button.click()), MAREN)
    await toastOf(page, 'Reconnection successfully').waitFor()
    expect(await id()).toBe(before)
  })

  line('4.15', async () => {
    const { page } = await open()
    await choose(page, 'pCloud')
    await page.getByText(/pCloud is not set up on this server/).waitFor()
  })

  line('4.16', async () => {
    const { page } = await open()
    await choose(page, 'Google Drive')
    await page.getByLabel('Account name').fill('Private')
    const popup = await popupOf(page, () => connectButton(page).click())
    const size = await popup.evaluate(() => [window.innerWidth, window.innerHeight])
    expect(size).toEqual([600, 400])
    await popup.close()
  })

  line('9.10', async () => {
    const { page } = await open()
    await page.evaluate(() => {
      const seen = Object.assign(window, { opened: '', polls: [] as number[] })
      const open = window.open.bind(window)
      const setInterval = window.setInterval.bind(window) as (act: () => void, after: number) => number
      window.open = (url, name, features) => {
        seen.opened = features ?? ''
        return open(url, name, features)
      }
      const counting = (act: () => void, after: number) => {
        seen.polls.push(after)
        return setInterval(act, after)
      }
      window.setInterval = counting as unknown as typeof window.setInterval
    })
    const popup = await startConnecting(page)
    const seen = await page.evaluate(() => {
      const { opened, polls } = window as unknown as { opened: string; polls: number[] }
      const centre = [(window.outerWidth - 600) / 2 + window.screenX, (window.outerHeight - 400) / 2 + window.screenY]
      return { opened, polls, centre: centre.map(Math.round) }
    })
    const [left, top] = seen.centre
    expect(seen.opened).toBe(`popup,width=600,height=400,left=${left},top=${top}`)
    expect(seen.polls).toContain(500)
    await popup.close()
  })

  line('4.17', async () => {
    const { page } = await open()
    const popup = await startConnecting(page)
    // Sooner it looks like a window that the provider has cut off.
    await page.waitForTimeout(600)
    await popup.close()
    await page.getByText('Popup closed without authorization').waitFor()
    await connectButton(page).waitFor()
  })

  line('8.12', async () => {
    const { page } = await open()
    await page.evaluate(() => {
      window.open = () => null
    })
    await choose(page, 'Dropbox')
    await page.getByLabel('Account name').fill('Boxes')
    await connectButton(page).click()
    await toastOf(page, 'Popup blocked').or(page.getByText('Popup blocked')).first().waitFor()
  })

  line('4.18', async () => {
    const { page } = await open()
    const popup = await startConnecting(page)
    const state = new URL(popup.url()).searchParams.get('state')
    // The provider's window is of another origin: what it says itself is not heard.
    await popup.evaluate(
      (forged) =>
        window.opener?.postMessage(
          { type: 'skypool:authorization', service: 'google', code: 'forged', state: forged, error: null },
          '*',
        ),
      state,
    )
    await page.waitForTimeout(300)
    expect(popup.isClosed()).toBe(false)
    await consent(popup, MAREN)
    await card(page, `Private - ${MAREN}`).waitFor()
  })

  line('5.7', async () => {
    const { page } = await open()
    await choose(page, 'Google Drive')
    await page.getByLabel('Account name').fill('   ')
    await connectButton(page).click()
    const title = 'Please provide a name for this connection'
    await toastOf(page, title, 'A name helps you identify this account later.').waitFor()
  })

  line('8.9', async () => {
    const { page } = await open()
    await allow(page, await startConnecting(page), MAREN)
  })

  line('8.10', async () => {
    const { page } = await open()
    await connect(page, MAREN)
    await card(page, `Private - ${MAREN}`).getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
    await toastOf(page, 'Account disconnected').waitFor()
  })

  line('8.11', async () => {
    const { page } = await open()
    await connect(page, MAREN)
    const button = card(page, `Private - ${MAREN}`).getByRole('button', { name: 'Re-connect' })
    const popup = await popupOf(page, () => button.click())
    await toastOf(page, 'Reconnection initiated').waitFor()
    await consent(popup, MAREN)
    await toastOf(page, 'Reconnection successfully').waitFor()
  })

  line('8.15', async () => {
    const { page } = await open()
    await consent(await startConnecting(page), MAREN, 'deny')
    await page.getByText('Access was denied').first().waitFor()
    await connectButton(page).waitFor()
  })
})

describe('group clouds', () => {
  line('7.36', async () => {
    const { page } = await stage.person('/group-cloud')
    await page.getByRole('heading', { level: 1, name: 'Group Cloud Manager' }).waitFor()
    await page.request.post(`${stage.url}/api/v1/group-clouds`, {
      data: { name: 'Archive' },
      headers: { origin: stage.url },
    })
    await page.getByRole('heading', { name: 'Archive' }).waitFor()
    await page.getByRole('button', { name: 'Upload Files' }).first().click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /\(Default\)/ })
      .click()
    await page.getByRole('option', { name: /Archive/ }).waitFor()
  })
})
