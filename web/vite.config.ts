// One script, one style sheet, one page, under names that never change: the same source gives the
// same bytes, and what is committed can be held against what is built.
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: '../src/elsewhere/app/page',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: 'chrome111',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // whose code is inside, and under which terms it may travel along
    license: { fileName: 'licenses.md' },
    rollupOptions: {
      output: {
        entryFileNames: 'page.js',
        chunkFileNames: '[name].js',
        assetFileNames: '[name][extname]',
      },
    },
  },
})
