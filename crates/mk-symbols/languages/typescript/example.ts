import { x } from "./x";

/** How to connect. */
export interface Options extends Base {
  host: string;
  connect(): Promise<void>;
}

export type Handler = (event: Event) => void;

export enum Level {
  Low,
  High = 2,
}

@Injectable()
export abstract class Server<T> extends Node implements Options {
  private readonly port: number = 1;
  #secret = 2;

  constructor(readonly host: string) {
    super();
  }

  /** Starts it. */
  @log
  async start(): Promise<void> {
    const local = () => 1;
  }

  abstract stop(): void;
  get url(): string { return ""; }
}

export const limit = 5, other = 6;
export let current: Server<string> | undefined;

// Makes one.
export const create = async (options: Options): Promise<Server<string>> => {
  return null!;
};

export default function main(): void {}
function overload(a: string): void;
function overload(a: unknown): void {}

export namespace Inner {
  export function helper() {}
}

declare module "ambient" {
  export function declared(): void;
}
declare const injected: string;

export namespace Limits {
  export const most = 3;
}

export const { first, second: renamed } = injected;

class Service {
  constructor(private readonly store: Shelf, public label?: string, plain = 1) {}
}
