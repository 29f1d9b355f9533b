export declare const PROMETHEUS_FOLDER: string
export declare function unpackPrometheus(): Promise<void>
