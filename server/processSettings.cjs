'use strict'
/**
 * Settings of the process, made before the first ES module is loaded.
 *
 * Small uploads wait for the disk in libuv's thread pool; with its default of four threads they would block each other. libuv creates
 * its threads when Node loads the first ES module.
 */
process.env.UV_THREADPOOL_SIZE ??= '8'
/**
 * By default V8 lets the heap grow to four times what is in use before it collects all of it. A long archive or listing would then
 * hold hundreds of megabytes of garbage. At 1.4 times, collections cost about 1 % of the time of such a request.
 */
require('node:v8').setFlagsFromString('--heap-growing-percent=40')
