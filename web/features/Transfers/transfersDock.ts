import { createContext } from 'react'

type Dock = { readonly dock: HTMLElement | null; readonly setDock: (element: HTMLElement | null) => void }

/** The place below the details where the panel is rendered while they are open, so that the two never overlap. */
export const TransfersDockContext = createContext<Dock>({ dock: null, setDock: () => undefined })
