/** A map that is copied on its first change, so that the former stays as it was. */
export class CopiedMap<Value> {
  private copy: Map<string, Value> | null = null;

  constructor(private readonly former: ReadonlyMap<string, Value>) {}

  get read(): ReadonlyMap<string, Value> {
    return this.copy ?? this.former;
  }

  get write(): Map<string, Value> {
    this.copy ??= new Map(this.former);
    return this.copy;
  }
}

/** The same for a list of ids. */
export class CopiedList {
  private copy: string[] | null = null;

  constructor(private readonly former: readonly string[]) {}

  get read(): readonly string[] {
    return this.copy ?? this.former;
  }

  get write(): string[] {
    this.copy ??= [...this.former];
    return this.copy;
  }
}
