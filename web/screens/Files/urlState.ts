/** What a file list shows, kept in the address: deep links, the back button and new tabs all work from it. */
export type FilesView = 'ALL' | 'DRIVE' | 'SHARED' | 'STARRED' | 'TRASH'
export type SortField = 'NAME' | 'MODIFIED' | 'SIZE' | 'TAKEN'
export type FilesSort = { readonly field: SortField; readonly direction: 'ASC' | 'DESC' }
/** Photos are a separate list: only photos and videos, by the time they were taken. */
export type FilesLayout = 'list' | 'grid' | 'photos'

const CATEGORIES = [
  'FOLDER',
  'IMAGE',
  'PDF',
  'VIDEO',
  'AUDIO',
  'TEXT',
  'DOCUMENT',
  'SPREADSHEET',
  'PRESENTATION',
  'OTHER',
] as const
export type Category = (typeof CATEGORIES)[number]

/** What accounts have under its own name, or what Skypool stores. */
const HOME_FILTERS = ['ACCOUNT', 'POOL'] as const
export type Home = (typeof HOME_FILTERS)[number]

/** Since the beginning of the day so many days ago; `older`: before all of them. */
const DAYS = { day: 0, week: 7, month: 30, year: 365 } as const
const CHANGED = ['day', 'week', 'month', 'year', 'older'] as const
export type Changed = (typeof CHANGED)[number]

const MEGABYTE = 1024 ** 2
/** From and below, in megabytes as sizes are shown; null: without an end. */
const SIZES = { tiny: [0, 1], small: [1, 10], medium: [10, 100], large: [100, 1024], huge: [1024, null] } as const
export type SizeRange = keyof typeof SIZES

/** The filters of `User.files` for these choices. Stable during a day. */
export function rangesOf({ changed, size }: Pick<UrlState, 'changed' | 'size'>) {
  const start = new Date()
  start.setHours(0, 0, 0, 0)
  start.setDate(start.getDate() - (changed === null ? 0 : DAYS[changed === 'older' ? 'year' : changed]))
  const time = changed && start.toISOString()
  const [from, below] = size ? SIZES[size] : [null, null]
  return {
    modifiedAfter: changed === 'older' ? null : time,
    modifiedBefore: changed === 'older' ? time : null,
    minSize: from === null ? null : from * MEGABYTE,
    maxSize: below === null ? null : below * MEGABYTE - 1,
  }
}

export type UrlState = {
  /** The open folder; null is the root. Only My Drive has folders. */
  readonly folder: string | null
  readonly query: string
  /** Searches the text inside files instead of names. */
  readonly isInside: boolean
  /** Null: the view's own order. */
  readonly sort: FilesSort | null
  readonly categories: readonly Category[]
  readonly groupCloud: string | null
  readonly provider: string | null
  readonly account: string | null
  readonly home: Home | null
  /** Only what has this tag. */
  readonly tag: string | null
  readonly changed: Changed | null
  readonly size: SizeRange | null
  /** Only files that cannot be read whole, or that have lost a copy. */
  readonly atRisk: boolean
  /** Null: as the person last chose. */
  readonly layout: FilesLayout | null
  /** The file that the preview shows. */
  readonly preview: string | null
  /** The file that is open in the editor. */
  readonly edit: string | null
  /** The file that is selected when the page opens. */
  readonly file: string | null
}

const VIEW_PATHS: Record<FilesView, string> = {
  ALL: '/file-manager',
  DRIVE: '/file-manager/my-drive',
  SHARED: '/file-manager/shared',
  STARRED: '/file-manager/starred',
  TRASH: '/file-manager/trash',
}

const AT_RISK = 'at-risk'

const FIELDS: Record<string, SortField> = { name: 'NAME', modified: 'MODIFIED', size: 'SIZE' }

export function viewPath(view: FilesView): string {
  return VIEW_PATHS[view]
}

/** The view of an address; an address that is no view counts as All Files. */
export function viewOfPath(pathname: string): FilesView {
  const path = pathname.replace(/\/+$/, '')
  const found = Object.entries(VIEW_PATHS).find(([, value]) => value === path)
  return (found?.[0] as FilesView | undefined) ?? 'ALL'
}

const BY_NAME: FilesSort = { field: 'NAME', direction: 'ASC' }
const NEWEST_FIRST: FilesSort = { field: 'MODIFIED', direction: 'DESC' }

export function defaultSort(view: FilesView): FilesSort {
  return view === 'ALL' || view === 'TRASH' ? NEWEST_FIRST : BY_NAME
}

/** Reads the address; what it does not understand is left out. */
export function readUrlState(params: URLSearchParams): UrlState {
  return {
    folder: params.get('folder') || null,
    query: (params.get('q') ?? '').trim(),
    isInside: params.get('in') === 'text',
    sort: parseSort(params.get('sort')),
    categories: parseCategories(params.get('type')),
    groupCloud: params.get('group') || null,
    provider: params.get('provider') || null,
    account: params.get('account') || null,
    home: oneOf(HOME_FILTERS, params.get('home')?.toUpperCase()),
    tag: params.get('tag') || null,
    changed: oneOf(CHANGED, params.get('changed')),
    size: oneOf(Object.keys(SIZES) as SizeRange[], params.get('size')),
    atRisk: params.get('state') === AT_RISK,
    layout: parseLayout(params.get('layout')),
    preview: params.get('preview') || null,
    edit: params.get('edit') || null,
    file: params.get('file') || null,
  }
}

/** Everything that decides what a list holds and in which order. */
export type ListKey = Pick<
  UrlState,
  | 'folder'
  | 'query'
  | 'categories'
  | 'groupCloud'
  | 'provider'
  | 'account'
  | 'home'
  | 'tag'
  | 'changed'
  | 'size'
  | 'atRisk'
> & {
  readonly view: FilesView
  readonly sort: FilesSort
  /** Whether folders come before files; only where a folder is shown, elsewhere they stand among the files. */
  readonly foldersFirst: boolean
}

const PHOTOS = ['IMAGE', 'VIDEO'] as const

/** The list that an address asks for, in the order that the person chose. */
export function listKeyOf(view: FilesView, url: UrlState, foldersFirst: boolean): ListKey {
  const isPhotos = url.layout === 'photos'
  const photos = PHOTOS.filter((category) => url.categories.includes(category))
  return {
    view,
    folder: view === 'DRIVE' ? url.folder : null,
    query: url.query,
    categories: isPhotos ? (photos.length > 0 ? photos : PHOTOS) : url.categories,
    groupCloud: url.groupCloud,
    provider: url.provider,
    account: url.account,
    home: url.home,
    tag: url.tag,
    changed: url.changed,
    size: url.size,
    atRisk: url.atRisk,
    sort: isPhotos ? { field: 'TAKEN', direction: 'DESC' } : (url.sort ?? defaultSort(view)),
    foldersFirst,
  }
}

/** The same address with `patch` applied; other people's parameters stay. */
export function writeUrlState(params: URLSearchParams, patch: Partial<UrlState>): URLSearchParams {
  const next = new URLSearchParams(params)
  for (const [key, value] of Object.entries(toParams(patch))) {
    if (value) next.set(key, value)
    else next.delete(key)
  }
  return next
}

/** The URL of a folder, or of the root, in My Drive. */
export function folderPath(folder: string | null): string {
  return folder ? `${VIEW_PATHS.DRIVE}?folder=${encodeURIComponent(folder)}` : VIEW_PATHS.DRIVE
}

export function hasFilters(state: Omit<ListKey, 'view' | 'folder' | 'sort' | 'foldersFirst'>): boolean {
  const { query, categories, groupCloud, provider, account, home, tag, changed, size, atRisk } = state
  return !!(query || categories.length || atRisk || groupCloud || provider || account || home || tag || changed || size)
}

/** Any place: an account, a provider, a group cloud, or all accounts. */
export const ANYWHERE = { groupCloud: null, provider: null, account: null, home: null } satisfies Partial<UrlState>

export const NO_FILTERS = {
  query: '',
  categories: [],
  ...ANYWHERE,
  tag: null,
  changed: null,
  size: null,
  atRisk: false,
} satisfies Partial<UrlState>

/** Pressing a column header: first that column (names upwards, times and sizes downwards), then the other way round. */
export function nextSort(current: FilesSort, field: SortField): FilesSort {
  if (current.field === field) return { field, direction: current.direction === 'ASC' ? 'DESC' : 'ASC' }
  return { field, direction: field === 'NAME' ? 'ASC' : 'DESC' }
}

function parseSort(text: string | null): FilesSort | null {
  if (!text) return null
  const name = text.replace(/^-/, '')
  // Every object has "constructor", which is no field.
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
  return field ? { field, direction: text.startsWith('-') ? 'DESC' : 'ASC' } : null
}

function parseCategories(text: string | null): Category[] {
  const wanted = new Set((text ?? '').toUpperCase().split(','))
  return CATEGORIES.filter((category) => wanted.has(category))
}

function oneOf<Value extends string>(values: readonly Value[], text: string | null | undefined): Value | null {
  return values.find((value) => value === text) ?? null
}

function parseLayout(text: string | null): FilesLayout | null {
  return oneOf(['list', 'grid', 'photos'], text)
}

/** Choices that are in the address as they are, by parameter. */
const PLAIN = {
  folder: 'folder',
  q: 'query',
  group: 'groupCloud',
  provider: 'provider',
  account: 'account',
  tag: 'tag',
  changed: 'changed',
  size: 'size',
  layout: 'layout',
  preview: 'preview',
  edit: 'edit',
  file: 'file',
} as const satisfies Record<string, keyof UrlState>

function toParams(patch: Partial<UrlState>): Record<string, string | null> {
  const out: Record<string, string | null> = {}
  for (const [name, field] of Object.entries(PLAIN)) {
    const value = patch[field]
    if (value !== undefined) out[name] = value
  }
  if (patch.isInside !== undefined) out.in = patch.isInside ? 'text' : null
  if (patch.sort !== undefined) out.sort = patch.sort && sortText(patch.sort)
  if (patch.categories !== undefined) out.type = patch.categories.join(',').toLowerCase()
  if (patch.home !== undefined) out.home = patch.home?.toLowerCase() ?? null
  if (patch.atRisk !== undefined) out.state = patch.atRisk ? AT_RISK : null
  return out
}

function sortText(sort: FilesSort): string {
  return `${sort.direction === 'DESC' ? '-' : ''}${sort.field.toLowerCase()}`
}

/** The URL of a row, for the browser's "open in new tab". Nothing in the trash can be opened. */
export function rowHref(row: { readonly id: string; readonly kind: string }, view: FilesView): string | null {
  if (view === 'TRASH') return null
  if (row.kind === 'FOLDER') return folderPath(row.id)
  return `${viewPath(view)}?preview=${encodeURIComponent(row.id)}`
}
