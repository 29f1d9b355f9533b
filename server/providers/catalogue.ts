import type { ProviderInfo } from './providers.ts'

type CatalogueEntry = Omit<ProviderInfo, 'availability'>

/** Every provider that people are shown, in this order; `settings` are those that its driver needs. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  {
    id: 'google-drive',
    name: 'Google Drive',
    description: '15 GB free each',
    popular: true,
    settings: ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  },
  {
    id: 'dropbox',
    name: 'Dropbox',
    description: 'Files and team folders',
    popular: true,
    settings: ['DROPBOX_CLIENT_ID', 'DROPBOX_CLIENT_SECRET'],
  },
  { id: 'onedrive', name: 'OneDrive', description: 'Personal and work', popular: true, settings: [] },
  { id: 'box', name: 'Box', description: 'Business content', popular: false, settings: [] },
  { id: 'github', name: 'GitHub', description: 'Repositories', popular: false, settings: [] },
  { id: 'sftp', name: 'SFTP', description: 'Any server with SSH', popular: false, settings: [] },
  { id: 'webdav', name: 'WebDAV', description: 'Nextcloud, NAS, more', popular: false, settings: [] },
  { id: 'amazon-s3', name: 'Amazon S3', description: 'And compatible', popular: false, settings: [] },
  { id: 'google-photos', name: 'Google Photos', description: 'Photos and videos', popular: false, settings: [] },
  { id: 'mega', name: 'MEGA', description: 'End-to-end encrypted', popular: false, settings: [] },
  { id: 'pcloud', name: 'pCloud', description: 'European storage', popular: false, settings: [] },
]

/** The catalogue, as this server can connect what is in it. `kinds`: of the modules that are configured. */
export function describeProviders(kinds: ReadonlySet<string>): ProviderInfo[] {
  return CATALOGUE.map((entry) => {
    if (kinds.has(entry.id)) return { ...entry, availability: 'READY', settings: [] }
    return { ...entry, availability: entry.settings.length > 0 ? 'NOT_CONFIGURED' : 'UNAVAILABLE' }
  })
}
