import type { Config } from './env.ts'

/** The public URL of this server: PUBLIC_URL, otherwise its listening address, whose port can be unknown until it listens. */
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
