export declare const CEPH_FOLDER: string
export declare function unpackCeph(): Promise<void>
