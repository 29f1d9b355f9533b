'use strict'
/** `npm start`: begins like main.cjs of the build, because it serves in this process. */
require('../processSettings.cjs')
void import('./start.mjs')
