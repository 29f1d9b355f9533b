import { useSyncExternalStore } from 'react'

/** Whether the media query matches now; follows changes. */
function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', onChange)
      return () => list.removeEventListener('change', onChange)
    },
    () => window.matchMedia(query).matches,
  )
}

/** Under 768 px: menus and dialogs become sheets, the sidebar slides in. */
const MOBILE = '(max-width: 767.98px)'

export const useIsMobile = (): boolean => useMediaQuery(MOBILE)

/** Under 1024 px, where bars hold less. */
export const useIsSmall = (): boolean => useMediaQuery('(max-width: 1023.98px)')

/** The current value, for event handlers. */
export const isMobileNow = (): boolean => window.matchMedia(MOBILE).matches
