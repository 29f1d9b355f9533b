import { fakeViewer } from './fakeGraphql.ts'

const GB = 1024 ** 3

export const fakeQuota = (usedGb: number, totalGb: number | null) => ({
  state: totalGb === null ? 'UNKNOWN' : 'KNOWN',
  usedBytes: usedGb * GB,
  reservedBytes: 0,
  totalBytes: totalGb === null ? null : totalGb * GB,
  freeBytes: totalGb === null ? null : (totalGb - usedGb) * GB,
})

/** An account as the server tells of it. */
export function fakeAccount(id: string, name: string, more: object = {}) {
  return {
    __typename: 'Account',
    id,
    name,
    provider: 'google-drive',
    providerName: 'Google Drive',
    glyph: 'TRIANGLE',
    connectsBy: 'OAUTH',
    email: `${name.toLowerCase()}@post.example`,
    place: null,
    hue: 1,
    status: 'CONNECTED',
    statusReason: null,
    unreachableSince: null,
    pausedUntil: null,
    writesPausedUntil: null,
    createdAt: new Date().toISOString(),
    atRiskFiles: 0,
    canShowEverything: false,
    capacityBytes: null,
    poolUse: 'FULL',
    poolReason: null,
    searchContents: false,
    capabilities: [],
    formValues: [],
    index: null,
    quota: fakeQuota(5, 15),
    lossPreview: { lostFiles: 0, lostBytes: 0, keptFiles: 0 },
    ...more,
  }
}

export function fakeGroupCloud(id: string, name: string, accounts: readonly object[], more: object = {}) {
  return {
    __typename: 'GroupCloud',
    id,
    name,
    defaultUploadGroup: false,
    placement: 'MOST_FREE',
    copies: 1,
    spanning: true,
    createdAt: new Date().toISOString(),
    quota: fakeQuota(5, 15),
    health: { files: 0, bytes: 0, atRiskFiles: 0, storingFiles: 0, summary: 'Everything is stored.' },
    placementPreview: { placed: true, why: `${name} takes it`, copies: [] },
    members: accounts.map((account, position) => ({
      account,
      position,
      keepFreeBytes: 0,
      draining: false,
      allowOnlyCopy: false,
    })),
    ...more,
  }
}

const provider = (id: string, name: string, more: object = {}) => ({
  id,
  name,
  description: `Files at ${name}`,
  popular: false,
  hue: 1,
  glyph: 'CLOUD',
  setupSteps: [],
  connectSteps: [],
  signInHints: [],
  fields: [],
  connectsBy: 'OAUTH',
  availability: 'READY',
  settings: [],
  requiredSettings: [],
  capabilities: [],
  limits: [],
  poolUse: 'FULL',
  poolReason: null,
  access: `Skypool asks for its own files at ${name}.`,
  canShowEverything: false,
  hasExtraRoots: false,
  ...more,
})

const QUAYS = [
  { value: 'n', label: 'North' },
  { value: 's', label: 'South' },
]

/** A provider that is signed in to by a form. */
const fakeFormProvider = provider('harbour', 'Harbour', {
  connectsBy: 'FORM',
  fields: [
    { name: 'address', label: 'Server address', help: 'With https.', type: 'URL', secret: false, required: true },
    { name: 'password', label: 'Password', help: null, type: 'TEXT', secret: true, required: true },
    { name: 'key', label: 'Key', help: 'All of its lines.', type: 'MULTILINE', secret: true, required: false },
    {
      name: 'quay',
      label: 'Quay',
      help: 'Where it is.',
      type: 'CHOICE',
      choices: QUAYS,
      secret: false,
      required: false,
    },
    {
      name: 'lock',
      label: 'Lock',
      help: null,
      type: 'TEXT',
      secret: false,
      required: false,
      requiredWhen: {
        conditions: [
          { field: 'quay', values: ['s'] },
          { field: 'key', values: [''] },
        ],
        message: 'Lock is required in the south: enter its number.',
      },
    },
    { name: 'code', label: 'Code', help: null, type: 'TEXT', secret: false, required: false, onRequest: true },
  ].map((field) => ({ choices: [], onRequest: false, stored: true, requiredWhen: null, ...field })),
})

const fakeProviders = [
  provider('google-drive', 'Google Drive', { popular: true, canShowEverything: true, hasExtraRoots: true }),
  provider('dropbox', 'Dropbox', {
    popular: true,
    availability: 'NOT_CONFIGURED',
    settings: ['DROPBOX_CLIENT_ID', 'DROPBOX_CLIENT_SECRET'],
    requiredSettings: ['DROPBOX_CLIENT_ID', 'DROPBOX_CLIENT_SECRET'],
    setupSteps: [
      'Make an app (https://dropbox.example/new?redirect=<PUBLIC_URL>/oauth). Enter the redirect address <PUBLIC_URL>/oauth/dropbox/callback, and save.',
      'Give Skypool both. Set DROPBOX_CLIENT_ID and DROPBOX_CLIENT_SECRET to its key and secret.',
    ],
  }),
  provider('mega', 'MEGA', { availability: 'UNAVAILABLE', connectsBy: null, access: null }),
  fakeFormProvider,
]

/** A signed-in person with these accounts beside this server's own, pooled as told. */
export function viewerWith(accounts: readonly object[], groupClouds: readonly object[] = []) {
  const own = fakeAccount('acct_own', 'This server', { provider: 'local', hue: 0, email: null })
  return { ...fakeViewer, accounts: [own, ...accounts], groupClouds, providers: fakeProviders }
}
