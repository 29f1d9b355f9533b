import { useCallback } from 'react'
import { useNavigate, useSearchParams } from 'react-router'

export type View = 'treemap' | 'table'

/** What the address says. `view` null: as it fits. */
export type RoomPlace = {
  readonly account: string | null
  readonly folder: string | null
  readonly home: 'ACCOUNT' | 'POOL' | null
  readonly view: View | null
}

function readPlace(params: URLSearchParams): RoomPlace {
  const [home, view] = [params.get('home'), params.get('view')]
  return {
    account: params.get('account'),
    folder: params.get('folder'),
    home: home === 'ACCOUNT' || home === 'POOL' ? home : null,
    view: view === 'treemap' || view === 'table' ? view : null,
  }
}

export function placePath(place: Partial<RoomPlace>): string {
  const params = new URLSearchParams()
  for (const key of ['account', 'folder', 'home', 'view'] as const) {
    const value = place[key]
    if (value) params.set(key, value)
  }
  return `/file-manager/room?${params}`
}

/** The place in the address, and functions that change it. */
export function useRoomPlace() {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const place = readPlace(params)
  const go = useCallback(
    (next: Partial<RoomPlace>, replace = false) => void navigate(placePath(next), { replace }),
    [navigate],
  )
  return { place, go }
}

/** Where a click on an entry leads: a folder opens here, a file in the preview. */
export function entryPath(place: RoomPlace, file: { readonly id: string; readonly kind: string }): string {
  if (file.kind !== 'FOLDER') return `/file-manager?preview=${encodeURIComponent(file.id)}`
  // A folder says by itself whose it is.
  return placePath({ ...place, folder: file.id, home: null })
}
