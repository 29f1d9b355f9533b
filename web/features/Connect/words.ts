/** Words about connecting accounts. */
export const words = {
  title: 'Add Storage',
  intro: 'Choose where your files may live. You can add several accounts of the same kind.',
  popular: 'Popular',
  all: 'All providers',
  signInThere: 'You sign in at the provider wherever it supports that.',
  connectTo: (provider: string) => `Connect ${provider}`,
  step: 'Step 2 of 2',
  name: 'Account name',
  nameHint: 'A name helps you identify this account later.',
  windowOpens: (provider: string) => `A ${provider} window opens. Sign in there and allow access.`,
  sendsBack: (provider: string) => `${provider} sends you back here. The window closes by itself.`,
  waiting: 'Finish in the other window. If you have closed it, press Cancel.',
  back: 'Back',
  connect: 'Connect',
  connecting: 'Connecting...',
  nameMissing: 'Please provide a name for this connection',
  connected: 'Account connected successfully',
  failed: 'The account could not be connected',
  reconnecting: 'Reconnection initiated',
  reconnected: 'Reconnection successfully',
  reconnectFailed: 'The account could not be connected again',
  notConfigured: 'Not set up on this server',
  unavailable: 'Not in this version yet',
  whyNot: (provider: string, settings: readonly string[]) =>
    settings.length === 0
      ? `This version of Skypool cannot connect ${provider} yet.`
      : `${provider} is not set up on this server. An administrator has to set ${settings.join(' and ')} first; the README says how.`,
  unreachable: 'The server could not be reached. Check your connection and try again.',
} as const
