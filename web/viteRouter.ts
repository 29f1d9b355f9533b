import type { Plugin } from 'vite'

/** react-router's own names for React's developer tools. A bundler has to keep what is assigned to, used or not. */
const DISPLAY_NAMES = /^\w+\.displayName = .*;$/gm

/**
 * The package names its development build for every bundler, with warnings for programmers. This takes its production
 * build, and of that only what the web client uses. @throws Error when react-router is built otherwise than we know
 */
export function routerWithoutWarnings(): Plugin {
  return {
    name: 'router-without-warnings',
    enforce: 'pre',
    apply: 'build',
    async resolveId(source, importer, options) {
      if (source !== 'react-router') return undefined
      const found = await this.resolve(source, importer, { ...options, skipSelf: true })
      const id = found?.id.replace('/dist/development/', '/dist/production/')
      if (!id || id === found?.id) throw new Error('react-router is no longer built in dist/development')
      return { ...found, id }
    },
    transform: {
      filter: { id: /\/react-router\/dist\/production\/.*\.mjs$/ },
      handler: (code) => ({
        code: code.replace(DISPLAY_NAMES, '').replaceAll(/= (\w+\.forwardRef\()/g, '= /* @__PURE__ */ $1'),
        map: null,
      }),
    },
  }
}
