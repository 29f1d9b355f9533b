'use strict'
/**
 * Small uploads wait for the disk in libuv's thread pool; with its default of four threads they would block each other. libuv
 * creates its threads when Node loads the first ES module, so a CommonJS file has to set this before.
 */
process.env.UV_THREADPOOL_SIZE ??= '8'
