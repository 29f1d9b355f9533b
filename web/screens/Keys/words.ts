const whole = new Intl.NumberFormat()
const list = new Intl.ListFormat('en', { type: 'conjunction' })

const calls = (count: number) => (count === 1 ? '1 call' : `${whole.format(count)} calls`)

/** Words of the API key page. */
export const words = {
  pageTitle: 'API Keys · Skypool',
  title: 'API Keys',
  intro: 'For programs that read and write your files through the API. A key can do what you can do.',
  docs: 'How to begin:',
  rest: 'REST',
  graphql: 'GraphQL',
  tabs: 'API Keys',
  keysTab: 'API Keys',
  settingsTab: 'Settings',
  generateKey: 'Generate API Key',
  emptyTitle: 'No API keys',
  emptyText: 'Generate one for each program, so that you can take it back without stopping the others.',
  badge: 'API Key',
  status: { ACTIVE: 'Active', REVOKED: 'Revoked', EXPIRED: 'Expired' } as Record<string, string>,
  copy: (name: string) => `Copy the key of ${name}`,
  regenerate: 'Regenerate',
  revoke: 'Revoke',
  created: (time: string) => `Created ${time}`,
  lastUsed: (time: string) => `Last used ${inSentence(time)}`,
  neverUsed: 'Never used',
  revokedAt: (time: string) => `Revoked ${inSentence(time)}`,
  expiredAt: (time: string) => `Expired ${inSentence(time)}`,
  expiresAt: (time: string) => `Expires ${time}`,
  callsInMonth: (count: number) => `${calls(count)} in 30 days`,
  usageChart: (total: number, busiest: string, most: number) =>
    `${calls(total)} in the last 30 days; the most on ${busiest}: ${whole.format(most)}`,
  only: (scopes: readonly string[]) => `Can only ${list.format(scopes)}`,
  scopeVerbs: { READ: 'read', WRITE: 'write', SHARE: 'share' } as Record<string, string>,
  form: {
    intro: 'For one program. It can do what you can do with your files, until you take it back.',
    name: 'Name',
    nameHint: 'A name helps you identify this key later.',
    nameMissing: 'Please provide a name for the API key',
    limits: 'Limit what it can do, or for how long',
    scopes: 'What it can do',
    scopeTexts: {
      READ: ['Read', 'List, search and download files. Every key can.'],
      WRITE: ['Write', 'Upload, change, move and delete files.'],
      SHARE: ['Share', 'Make public links and take them back.'],
    },
    expiry: 'How long it works',
    expiries: { never: 'Until it is revoked', 30: '30 days', 90: '90 days', 365: '1 year', day: 'Until a day…' },
    day: 'Last day',
    dayMissing: 'Please choose a day from tomorrow on.',
    submit: 'Generate',
    busy: 'Generating...',
    done: 'API Key generated',
    failed: 'The API key could not be generated',
  },
  changes: {
    REGENERATE: {
      title: (name: string) => `Regenerate “${name}”?`,
      text: 'The key as it is now stops working at once, and a new one takes its place. Programs that use it need the new one.',
      confirm: 'Regenerate',
      done: 'API Key regenerated',
      failed: 'The API key could not be regenerated',
    },
    REVOKE: {
      title: (name: string) => `Revoke “${name}”?`,
      text: 'Programs that use it are refused from the next request on, and active downloads are stopped. A revoked key never works again.',
      confirm: 'Revoke',
      done: 'API Key revoked',
      failed: 'The API key could not be revoked',
    },
  },
  security: {
    title: 'How API keys stay safe',
    points: [
      [
        'Secure generation',
        'This server makes each key at random. It checks calls by a hash; the key itself is kept encrypted, for you alone.',
      ],
      [
        'Limited scope',
        'A key reaches your files and links, or less if you say so. It never reaches your accounts, your sign-in or other keys.',
      ],
      ['Revoke anytime', 'A revoked key is refused from the next request on, and active downloads are stopped.'],
    ],
  },
  first: {
    title: 'A first call',
    text: 'Paste one of these into a terminal. Both list your files.',
    withKey: (name: string) => `They use your key “${name}”.`,
    withoutKey: 'Generate a key first, and it stands in them already.',
    rest: 'REST',
    graphql: 'GraphQL',
    copy: (name: string) => `Copy the ${name} example`,
    restDocs: 'REST reference',
    graphqlDocs: 'GraphQL explorer',
  },
} as const

/** "Today, 10:15" in the middle of a sentence. */
function inSentence(day: string): string {
  return day.replace(/^(?:Today|Yesterday),/, (word) => word.toLowerCase())
}
