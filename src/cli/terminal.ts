import { createStyle, wrapLines } from "../report/style";
import { isJob } from "./ci/job";

export interface TerminalStreams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
}

type TerminalStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export type Terminal = ReturnType<typeof createTerminal>;

/** Returns a terminal whose standard output goes elsewhere. Standard input stays closed until it is read. */
export const withOut = (terminal: Terminal, out: Terminal["out"]): Terminal =>
  Object.create(terminal, { out: { value: out } });

interface TerminalOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly noColor: boolean;
}

/** Opens a terminal on the streams of the process. A closed pipe (`| head`) ends the output, not the run. */
export function createTerminal(streams: TerminalStreams, options: TerminalOptions) {
  const { stdout, stderr } = streams;
  const out = writer(stdout);
  const err = writer(stderr);
  const isAttended = stdout.isTTY === true && !isJob(options.environment);
  const live = isAttended && options.environment.TERM !== "dumb";
  return {
    /** True if a person can answer. A getter: reading `stdin` opens standard input. */
    get interactive(): boolean {
      return isAttended && streams.stdin.isTTY === true;
    },
    /** True if lines on standard output may be redrawn. */
    live,
    color: { out: wantsColor(stdout, options), err: wantsColor(stderr, options) },
    /** Columns of standard output; undefined in pipes and jobs. */
    get width(): number | undefined {
      return live ? stdout.columns || 80 : undefined;
    },
    get stdin() {
      return streams.stdin;
    },
    out: out.write,
    err: err.write,
    get style() {
      return createStyle({ color: this.color.out, width: this.width });
    },
    get errStyle() {
      return createStyle({ color: this.color.err, width: this.width });
    },
    /** Prints sentences on standard output, wrapped on a terminal. */
    tell(sentences: string): void {
      this.out(wrapLines(sentences, this.style));
    },
    /** Prints sentences on standard error. */
    note(sentences: string): void {
      this.err(wrapLines(sentences, this.errStyle));
    },
    /** Resolves when all output has left the process. */
    flush: () => Promise.all([out.flush(), err.flush()]),
    /** Returns the cause of incomplete output, such as a full disk; undefined for a closed pipe. */
    lostOutput: out.failure,
  };
}

/** Returns true for FORCE_COLOR and capable terminals. NO_COLOR (no-color.org) and `--no-color` win. */
function wantsColor(stream: TerminalStream, { environment, noColor }: TerminalOptions): boolean {
  if (noColor || environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== "0";
  return stream.isTTY === true && environment.TERM !== "dumb";
}

function writer(stream: TerminalStream) {
  let open = true;
  let failure: NodeJS.ErrnoException | undefined;
  const onWritten = (cause?: NodeJS.ErrnoException | null): void => {
    if (cause && open && cause.code !== "EPIPE") failure ??= cause;
    // A closed pipe stops the output only: work in progress must end properly.
    if (cause) open = false;
  };
  stream.on("error", onWritten);
  return {
    write: (text: string): void => {
      if (open && text !== "") stream.write(text, onWritten);
    },
    flush: () => new Promise<void>((resolve) => (open ? stream.write("", () => resolve()) : resolve())),
    failure: (): NodeJS.ErrnoException | undefined => failure,
  };
}
