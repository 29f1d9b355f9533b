import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Eye, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { announce } from '../../web/lib/announce.ts'
import { forgetEverything } from '../../web/relay/environment.ts'
import { Button } from '../../web/ui/Button.tsx'
import { Checkbox } from '../../web/ui/Checkbox.tsx'
import { ConfirmDialog } from '../../web/ui/ConfirmDialog.tsx'
import { FileName } from '../../web/ui/FileName.tsx'
import { IconButton } from '../../web/ui/IconButton.tsx'
import { TextField } from '../../web/ui/Input.tsx'
import { keepFocusInside } from '../../web/ui/keepFocus.ts'
import { LiveRegion } from '../../web/ui/LiveRegion.tsx'
import { ContextMenu, Menu } from '../../web/ui/Menu.tsx'
import { Progress } from '../../web/ui/Progress.tsx'
import { Toaster } from '../../web/ui/Toaster.tsx'
import { Tooltip } from '../../web/ui/Tooltip.tsx'
import { toast } from '../../web/ui/toast.ts'
import { setMobile } from './support/renderPage.tsx'

beforeEach(() => setMobile(false))

test('a busy button takes no clicks and says that it is busy', async () => {
  const onClick = vi.fn()
  render(
    <Button busy onClick={onClick}>
      Uploading...
    </Button>,
  )
  const button = screen.getByRole('button', { name: 'Uploading...' })
  await userEvent.click(button)
  expect(onClick).not.toHaveBeenCalled()
  expect(button.getAttribute('aria-busy')).toBe('true')
})

test('a busy button keeps the focus and sends its form once', async () => {
  const onSubmit = vi.fn((event: FormEvent) => event.preventDefault())
  function Form() {
    const [busy, setBusy] = useState(false)
    const send = (event: FormEvent) => {
      onSubmit(event)
      setBusy(true)
    }
    return (
      <form onSubmit={send}>
        <TextField label="Name" />
        <Button type="submit" busy={busy}>
          Send
        </Button>
      </form>
    )
  }
  render(<Form />)
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Send' })
  await userEvent.click(button)
  expect(button.disabled).toBe(false)
  await userEvent.click(button)
  await userEvent.type(screen.getByLabelText('Name'), 'Ann{Enter}')
  expect(onSubmit).toHaveBeenCalledTimes(1)
})

test('a checkbox can be mixed', () => {
  render(<Checkbox checked="mixed" onChange={() => undefined} label="All" />)
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'All' }).indeterminate).toBe(true)
})

test('the error of a field is announced and belongs to it', () => {
  render(<TextField label="Name" error="Too long." />)
  const field = screen.getByLabelText('Name')
  expect(screen.getByRole('alert').id).toBe(field.getAttribute('aria-describedby'))
  expect(field.getAttribute('aria-invalid')).toBe('true')
})

test('progress stays between 0 and its maximum', () => {
  render(
    <>
      <Progress label="over" value={150} />
      <Progress label="under" value={-3} />
      <Progress label="half" value={4} max={8} />
    </>,
  )
  const now = (name: string) => screen.getByRole('progressbar', { name }).getAttribute('aria-valuenow')
  expect([now('over'), now('under'), now('half')]).toEqual(['100', '0', '50'])
})

test('a shortened name is read whole, once', () => {
  render(
    <button type="button">
      <FileName name="Harbour walkthrough 4K.mov" />
    </button>,
  )
  expect(screen.getByRole('button', { name: 'Harbour walkthrough 4K.mov' })).toBeDefined()
})

describe('a menu', () => {
  const chosen = vi.fn()
  const items = [
    { id: 'open', label: 'Open', icon: Eye, onSelect: () => chosen('open') },
    { id: 'share', label: 'Share', disabledReason: 'Not for folders.', onSelect: () => chosen('share') },
    'line' as const,
    { id: 'trash', label: 'Move to Trash', icon: Trash2, danger: true, onSelect: () => chosen('trash') },
  ]
  const openMenu = async () => {
    const user = userEvent.setup()
    render(<Menu label="Actions" items={items} trigger={(props) => <Button {...props}>More</Button>} />)
    await user.tab()
    await user.keyboard('{ArrowDown}')
    return user
  }
  const focused = () => document.activeElement?.textContent
  beforeEach(() => chosen.mockClear())

  test('is worked by arrow keys, Home, End and first letters', async () => {
    const user = await openMenu()
    expect(screen.getByRole('menu', { name: 'Actions' })).toBeDefined()
    expect(focused()).toBe('Open')
    await user.keyboard('{ArrowUp}')
    expect(focused()).toBe('Move to Trash')
    await user.keyboard('{Home}{ArrowDown}')
    expect(focused()).toBe('Share')
    await user.keyboard('{End}{ArrowDown}')
    expect(focused()).toBe('Open')
    await user.keyboard('mo')
    expect(focused()).toBe('Move to Trash')
    await user.keyboard('{Enter}')
    expect(chosen.mock.calls).toEqual([['trash']])
  })

  test('gives the focus back when it closes', async () => {
    const user = await openMenu()
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('menu')).toBeNull()
    expect(focused()).toBe('More')
  })

  test('what cannot be used says why and does nothing', async () => {
    const user = await openMenu()
    const share = screen.getByRole('menuitem', { name: 'Share' })
    expect(share.getAttribute('aria-disabled')).toBe('true')
    expect(share.getAttribute('aria-description')).toBe('Not for folders.')
    await user.click(share)
    expect(chosen).not.toHaveBeenCalled()
  })

  test('its events do not reach what opened it', async () => {
    const outside = vi.fn()
    render(
      // biome-ignore lint/a11y: stands for a row
      <div onClick={outside} onKeyDown={outside}>
        <ContextMenu label="Row" items={items} at={{ x: 10, y: 10 }} onClose={() => undefined} />
      </div>,
    )
    await userEvent.click(screen.getByRole('menuitem', { name: 'Open' }))
    await userEvent.keyboard('{ArrowDown}')
    expect(outside).not.toHaveBeenCalled()
    expect(chosen.mock.calls).toEqual([['open']])
  })

  test('a press outside closes it, and on a narrow screen it is a sheet', () => {
    setMobile(true)
    const onClose = vi.fn()
    render(<ContextMenu label="Row" items={items} at={{ x: 10, y: 10 }} onClose={onClose} header={<b>a.txt</b>} />)
    const sheet = screen.getByRole('menu').parentElement
    expect(sheet?.className).toBe('sheet')
    expect(sheet?.textContent).toContain('a.txt')
    act(() => {
      sheet?.parentElement?.dispatchEvent(new Event('pointerdown', { bubbles: true }))
    })
    expect(onClose).toHaveBeenCalled()
  })
})

describe('a tooltip', () => {
  const shown = () => screen.queryByRole('tooltip')?.textContent

  test('comes after 700 ms, the next within 300 ms at once, and goes with Escape', () => {
    vi.useFakeTimers({ now: 1_000_000 })
    render(
      <>
        <IconButton label="First" icon={Eye} />
        <IconButton label="Second" icon={Trash2} keys="Del" />
      </>,
    )
    const [first, second] = screen.getAllByRole('button')
    const move = (type: string, element: Element | undefined) =>
      act(() => void element?.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'mouse' })))
    const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms))
    move('pointerover', first)
    wait(699)
    expect(shown()).toBeUndefined()
    wait(1)
    expect(shown()).toBe('First')
    move('pointerout', first)
    expect(shown()).toBeUndefined()
    wait(200)
    move('pointerover', second)
    wait(0)
    expect(shown()).toBe('SecondDel')
    vi.useRealTimers()
  })

  test('describes its element where it adds something to the name', async () => {
    render(
      <Tooltip text="8 November 2026" describes>
        <button type="button">8 Nov</button>
      </Tooltip>,
    )
    act(() => screen.getByRole('button').focus())
    await userEvent.tab({ shift: true })
    await userEvent.tab()
    await waitFor(() => expect(shown()).toBe('8 November 2026'))
    expect(screen.getByRole('button').getAttribute('aria-describedby')).toBe(screen.getByRole('tooltip').id)
    await userEvent.keyboard('{Escape}')
    expect(shown()).toBeUndefined()
  })
})

test.each([true, false])('a button that goes away leaves the focus near it (busy: %s)', async (busy) => {
  const page = (isThere: boolean) => (
    <main ref={keepFocusInside}>
      <div>{isThere && <Button busy={busy}>Set as default</Button>}</div>
      <Button>Edit</Button>
    </main>
  )
  const { rerender } = render(page(true))
  screen.getByRole('button', { name: 'Set as default' }).focus()
  rerender(page(false))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit' })))
})

test('confirming starts on Cancel, and gives the focus back', async () => {
  const onConfirm = vi.fn()
  function Page() {
    const [open, setOpen] = useState(false)
    return (
      <>
        <Button onClick={() => setOpen(true)}>Empty trash</Button>
        <ConfirmDialog
          open={open}
          onClose={() => setOpen(false)}
          title="Delete 3 items forever?"
          confirmLabel="Delete forever"
          onConfirm={onConfirm}
        >
          They cannot be brought back.
        </ConfirmDialog>
      </>
    )
  }
  render(<Page />)
  await userEvent.click(screen.getByRole('button', { name: 'Empty trash' }))
  expect(await screen.findByRole('alertdialog', { name: 'Delete 3 items forever?' })).toBeDefined()
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Cancel'))
  await userEvent.click(screen.getByRole('button', { name: 'Delete forever' }))
  expect(onConfirm).toHaveBeenCalledOnce()
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(document.activeElement?.textContent).toBe('Empty trash')
})

test('toasts shown before their code has come are kept; Undo acts once and closes', async () => {
  const undo = vi.fn()
  render(<Toaster />)
  act(() => {
    toast.undo('3 items moved to Trash', undo)
    toast.success('Copied to clipboard', { description: 'As a link.' })
  })
  expect(await screen.findByText('3 items moved to Trash', {}, { timeout: 120_000 })).toBeDefined()
  expect(screen.getByText('As a link.')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  expect(undo).toHaveBeenCalledOnce()
  await waitFor(() => expect(screen.queryByText('3 items moved to Trash')).toBeNull())
})

test('announcements go to the polite live region', () => {
  render(<LiveRegion />)
  act(() => announce('Upload complete'))
  expect(screen.getByText('Upload complete').closest('[aria-live="polite"]')).not.toBeNull()
})

test('what was announced to one user is not there for the next', () => {
  render(<LiveRegion />)
  act(() => announce('Uploading 2 items to Payslips'))
  act(() => forgetEverything())
  expect(screen.queryByText(/Payslips/)).toBeNull()
})
