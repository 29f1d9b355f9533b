'use strict'
/** `npm start`: begins like main.cjs of the build, because it serves in this process. */
require('../threads.cjs')
void import('./start.mjs')
