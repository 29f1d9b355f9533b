export declare const SWIFT_FOLDER: string
export declare function unpackSwift(): Promise<void>
