// A source from which a headless-shell can be fetched into the cache.

export interface FetchWay {
  title: string;
  /** Its name in the cache: another version, release or processor has another folder. */
  folder: string;
  /** How the operator gets a newer one. */
  renewal: string;
  fill(draft: string, tools: FetchTools): Promise<Fetched>;
}

export interface FetchTools {
  /** For the programs that fetch it: PATH and proxies. */
  environment: Record<string, string>;
  /** Logs what is being fetched, as soon as its size is known. */
  tell(what: string, size: string): void;
}

export interface Fetched {
  executable: string;
  libraryFolders: string[];
  /** If there is no checksum or signature to compare the download with: who is trusted instead, worded for the operator. */
  trust?: string;
}
