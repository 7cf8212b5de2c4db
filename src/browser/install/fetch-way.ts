// A source from which a headless-shell can be fetched into the cache.

export interface FetchWay {
  /** For people. */
  title: string;
  /** For the names of folders. */
  name: string;
  /** The newest version that it has for this machine; null if it has none. */
  newest(tools: FetchTools): Promise<string | null>;
  fill(draft: string, tools: FetchTools): Promise<Fetched>;
}

export interface FetchTools {
  /** For the programs that fetch it: PATH and proxies. */
  environment: Record<string, string>;
  /** Logs what is being fetched, as soon as its size is known, if it will be. */
  tell(what: string, size?: string): void;
  /** For what is needed between asking and fetching; removed at the end. */
  temporary: string;
}

export interface Fetched {
  executable: string;
  libraryFolders: string[];
  /** If there is no checksum or signature to compare the download with: who is trusted instead, worded for the operator. */
  trust?: string;
}
