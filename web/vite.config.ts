import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { cssModules } from './viteCssModules.ts'
import { previewFrames } from './viteFrames.ts'
import { iconsDrawnOnce } from './viteIcons.ts'
import { translated } from './viteLanguage.ts'
import { precompress } from './vitePrecompress.ts'
import { relay } from './viteRelay.ts'
import { relayHooksOnly } from './viteRelayHooks.ts'
import { routerWithoutWarnings } from './viteRouter.ts'
import { sonnerWithoutStyleElement } from './viteSonner.ts'

/** The server of `npm run dev`; it answers everything that is not the web client. */
const SERVER = process.env.SKYPOOL_DEV_SERVER ?? 'http://127.0.0.1:3000'
const PROXIED = ['/graphql', '/api', '/avatars']

/** Icons used by many screens are in one file, those used by two or three in another, which pages for visitors do not load. */
const ICONS = /[\\/]lucide-react[\\/]/

/**
 * Modules of the first screen that other screens use too. Without those that bring styles: the order of the rules would change with their
 * group.
 */
const FRAME = new RegExp(
  '/web/(?:' +
    [
      'ui/(?:hue|toast)',
      'lib/(?:cx|dropEntries|formatBytes|formatDate|keyboard|letterKeys|nativeName|sidebarContext|theme|useMediaQuery)',
      'relay/runMutation',
      'features/Session/leaveSession',
      'screens/Files/FilesContext',
      'features/Transfers/(?:resumeStore|transfersContext|transfersDock|usePageSigns|useStoring)',
    ].join('|') +
    ')\\.tsx?$',
)

/** `vite build` makes the English client, and `vite build --mode de` adds the German one. */
export default defineConfig(({ mode }) => {
  const isEnglish = mode === 'production' || mode === 'development'
  return {
    root: import.meta.dirname,
    plugins: [
      ...(isEnglish ? [] : [translated(mode)]),
      relay(`${import.meta.dirname}/__generated__`),
      relayHooksOnly(),
      routerWithoutWarnings(),
      iconsDrawnOnce(),
      sonnerWithoutStyleElement(),
      react(),
      tailwindcss(),
      cssModules(),
      previewFrames(),
      // The languages of tests are never sent by the server.
      ...(mode.startsWith('pseudo') ? [] : [precompress()]),
    ],
    ...(isEnglish && {
      define: {
        'import.meta.env.VITE_LANGUAGE': JSON.stringify('en'),
        'import.meta.env.VITE_DIRECTION': JSON.stringify('ltr'),
      },
    }),
    // The dev server would bundle sonner before our plugin sees it.
    optimizeDeps: { exclude: ['sonner'] },
    build: {
      outDir: '../dist/web',
      // Files with the same content have the same name in all languages: the others only add theirs.
      emptyOutDir: isEnglish,
      copyPublicDir: isEnglish,
      target: 'es2023',
      assetsInlineLimit: 0,
      // One stylesheet: its rules stay in one order, and no screen waits for a second file.
      cssCodeSplit: false,
      // What many screens share comes in a few files: many small ones compress badly, and each costs a request.
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              { name: 'icons', test: ICONS, minShareCount: 4 },
              { name: 'moreIcons', test: ICONS, minShareCount: 2 },
              { name: 'frame', test: FRAME },
            ],
          },
        },
      },
      // Every browser that runs es2023 knows modulepreload.
      modulePreload: { polyfill: false },
    },
    worker: {
      rolldownOptions: {
        output: {
          // The address of the service worker stays the same, and it answers for the folder that it is in.
          entryFileNames: ({ name }) => (name === 'serviceWorker' ? 'sw.js' : 'assets/[name]-[hash].js'),
        },
      },
    },
    // The Host stays the browser's: the server compares it with the Origin.
    server: { proxy: Object.fromEntries(PROXIED.map((path) => [path, { target: SERVER, changeOrigin: false }])) },
  }
})
