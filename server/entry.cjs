/** Begins the process: the server, or the supervisor of several. The latter must not load the server, which is most of its memory. */
const isSupervisor = !/^\s*1?\s*$/.test(process.env.WORKERS ?? '') && require('node:cluster').isPrimary
void import(isSupervisor ? './supervisor.js' : './app.js')
