export declare const PGBOUNCER_FOLDER: string
export declare function unpackPgBouncer(): Promise<void>
