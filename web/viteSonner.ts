import type { Plugin } from 'vite'

/**
 * sonner writes its stylesheet into a <style> element when it loads, which our Content-Security-Policy forbids. The
 * same rules are in web/styles/app.css, from sonner's own file, so the call is dropped. @throws Error when sonner
 * changed
 */
export function sonnerWithoutStyleElement(): Plugin {
  return {
    name: 'sonner-without-style-element',
    enforce: 'pre',
    transform: {
      filter: { id: /node_modules\/sonner\/dist\/index\.mjs/ },
      handler(code) {
        const stripped = code.replace(/^__insertCSS\(".*"\);?$/m, '')
        if (stripped === code) throw new Error('sonner no longer calls __insertCSS: check how it brings its styles')
        return { code: stripped, map: null }
      },
    },
  }
}
