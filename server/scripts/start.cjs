'use strict'
/** `npm start`: as main.cjs of the build begins, for it serves in this same process. */
require('../threads.cjs')
void import('./start.mjs')
