'use strict'
/**
 * Small uploads wait for the disk, each in a thread of libuv's: with the usual four, whoever comes next waits for them. libuv
 * makes its threads when Node loads the first ES module, so this is set before, by CommonJS.
 */
process.env.UV_THREADPOOL_SIZE ??= '8'
