import { PassThrough, Writable } from "node:stream";
import type { TerminalStreams } from "../../../src/cli/terminal";

/** Collects what is written; a terminal when `columns` is given. */
class FakeOutput extends Writable {
  text = "";
  readonly isTTY: boolean;
  constructor(readonly columns?: number) {
    super();
    this.isTTY = columns !== undefined;
  }
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

export interface FakeStreams extends TerminalStreams {
  readonly stdin: PassThrough & { isTTY?: boolean };
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
}

export function fakeStreams(options: { readonly tty: boolean } = { tty: false }): FakeStreams {
  const columns = options.tty ? 100 : undefined;
  return {
    stdin: Object.assign(new PassThrough(), { isTTY: options.tty }),
    stdout: new FakeOutput(columns),
    stderr: new FakeOutput(columns),
  };
}
