import { act, render, screen } from '@testing-library/react'
import { type ComponentType, Suspense, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { late } from '../../web/lib/lateCode.ts'
import { lateDialog } from '../../web/ui/lateDialog.tsx'
import { Toaster } from '../../web/ui/Toaster.tsx'

afterEach(() => vi.restoreAllMocks())

const setOnline = (isOnline: boolean) => vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)

/** Code that cannot be loaded so many times. */
function failing<Props>(times: number, component: ComponentType<Props>) {
  let left = times
  return vi.fn(async () => {
    if (left-- > 0) throw new TypeError('Failed to fetch dynamically imported module')
    return component
  })
}

type Props = { readonly onClose: () => void }

function Page({ Dialog }: { Dialog: ComponentType<Props> }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(true)}>
        Share
      </button>
      <Suspense>{isOpen && <Dialog onClose={() => setOpen(false)} />}</Suspense>
      <Toaster />
    </>
  )
}

const Shown = ({ onClose }: Props) => (
  <button type="button" onClick={onClose}>
    Close it
  </button>
)

test.each([
  [false, 'This cannot be opened offline'],
  [true, 'This could not be opened'],
])(
  'a dialog whose code cannot be loaded (online: %s) leaves the page as it is, and opens at the next try',
  async (isOnline, words) => {
    const online = setOnline(isOnline)
    const load = failing(2, Shown)
    const Dialog = lateDialog(load)
    render(<Page Dialog={Dialog} />)
    const share = screen.getByRole('button', { name: 'Share' })
    // Only an awaited act lets what waits for code continue.
    const press = (button: HTMLElement) => act(async () => button.click())
    await press(share)
    await screen.findByText(words)
    await press(share)
    expect(load).toHaveBeenCalledTimes(2)
    expect(share.getAttribute('aria-expanded')).toBe('false')
    expect(screen.getByRole('button', { name: 'Share' })).toBe(share)
    online.mockReturnValue(true)
    await press(share)
    await press(await screen.findByRole('button', { name: 'Close it' }))
    await press(share)
    await screen.findByRole('button', { name: 'Close it' })
  },
)

test('what is shown on a page, and not loaded yet, comes once there is a connection', async () => {
  const online = setOnline(false)
  const Bar = late(failing(1, () => <p>1 selected</p>))
  await act(async () => {
    render(
      <>
        <p>The list</p>
        <Suspense>
          <Bar />
        </Suspense>
      </>,
    )
  })
  screen.getByText('The list')
  online.mockReturnValue(true)
  await act(async () => void window.dispatchEvent(new Event('online')))
  await screen.findByText('1 selected')
  screen.getByText('The list')
})
