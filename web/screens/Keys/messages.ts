const whole = new Intl.NumberFormat()
const list = new Intl.ListFormat('en', { type: 'conjunction' })

const calls = (count: number) => (count === 1 ? '1 call' : `${whole.format(count)} calls`)

/** Texts of the API key page. */
export const messages = {
  pageTitle: 'API Keys · Skypool',
  title: 'API Keys',
  intro: 'For programs that read and write your files through the API. A key can do what you can do, or less.',
  docs: 'Get started:',
  rest: 'REST',
  graphql: 'GraphQL',
  tabs: 'API Keys',
  keysTab: 'API Keys',
  settingsTab: 'Settings',
  generateKey: 'Generate API Key',
  emptyTitle: 'No API keys',
  emptyText: 'Generate one for each program, so that you can revoke it without affecting the others.',
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
    intro: 'For one program. It can do what you can do with your files, until you revoke it.',
    name: 'Name',
    nameHint: 'A name helps you identify this key later.',
    nameMissing: 'Please provide a name for the API key',
    limits: 'Limit what it can do, or for how long',
    scopes: 'What it can do',
    scopeTexts: {
      READ: ['Read', 'List, search and download files. Every key can.'],
      WRITE: ['Write', 'Upload, change, move and delete files.'],
      SHARE: ['Share', 'Create and revoke public links.'],
    },
    expiry: 'How long it works',
    expiries: { never: 'Until it is revoked', 30: '30 days', 90: '90 days', 365: '1 year', day: 'Until a date…' },
    day: 'Last day',
    dayMissing: 'Please choose tomorrow or a later day.',
    submit: 'Generate',
    busy: 'Generating...',
    done: 'API Key generated',
    failed: 'The API key could not be generated',
  },
  changes: {
    REGENERATE: {
      title: (name: string) => `Regenerate “${name}”?`,
      text: 'The current key stops working immediately and a new one replaces it. Programs that use it need the new key.',
      confirm: 'Regenerate',
      done: 'API Key regenerated',
      failed: 'The API key could not be regenerated',
    },
    REVOKE: {
      title: (name: string) => `Revoke “${name}”?`,
      text: 'Its next request is refused, and active downloads are stopped. A revoked key never works again.',
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
        'This server makes each key at random. It checks calls by a hash; the key itself is stored encrypted and shown only to you.',
      ],
      [
        'Limited scope',
        'A key can access your files and links, or less if you limit it. It can never access your accounts, your sign-in or other keys.',
      ],
      ['Revoke anytime', 'The next request with a revoked key is refused, and active downloads are stopped.'],
    ],
  },
  first: {
    title: 'A first call',
    text: 'Paste one of these into a terminal. Both list your files.',
    withKey: (name: string) => `They use your key “${name}”.`,
    withoutKey: 'Generate a key first to have it filled in.',
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
