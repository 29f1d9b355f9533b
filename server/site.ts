import type { Config } from './env.ts'

/** Where people reach this server: PUBLIC_URL, else where it listens, which is known once it does when the port is free to choose. */
export function createSite({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>) {
  const named = /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host
  let listening = `http://${named.includes(':') ? `[${named}]` : named}:${port}`
  return {
    url: () => publicUrl?.origin ?? listening,
    listensAt: (url: string) => {
      listening = listening.replace(/\d+$/, new URL(url).port || '80')
    },
  }
}
