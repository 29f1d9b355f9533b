/** Relative to the project. @see bundler.mjs */
export declare function bundle(entry: string, outfile: string): Promise<unknown>
