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

/** A terminal over the streams of the process. A reader that goes away (`| head`) ends output, not the run. */
export function createTerminal(streams: TerminalStreams, options: TerminalOptions) {
  const { stdout, stderr } = streams;
  const out = writer(stdout);
  const err = writer(stderr);
  const isAttended = stdout.isTTY === true && !isJob(options.environment);
  const live = isAttended && options.environment.TERM !== "dumb";
  return {
    /** A person can answer: input and output are a terminal, and this is no job. Standard input is opened only when it is asked for. */
    get interactive(): boolean {
      return isAttended && streams.stdin.isTTY === true;
    },
    /** Lines on standard output may be rewritten. */
    live,
    color: { out: wantsColor(stdout, options), err: wantsColor(stderr, options) },
    /** Columns of standard output; undefined where it is no terminal, or that of a job. */
    get width(): number | undefined {
      return live ? stdout.columns || 80 : undefined;
    },
    get stdin() {
      return streams.stdin;
    },
    out: out.write,
    err: err.write,
    /** Prints sentences on standard output, wrapped at words where that is a terminal. */
    tell(sentences: string): void {
      this.out(wrapLines(sentences, createStyle(false, this.width)));
    },
    /** Prints sentences on standard error. */
    note(sentences: string): void {
      this.err(wrapLines(sentences, createStyle(false, this.width)));
    },
    /** Resolves once everything written has left the process. */
    flush: async (): Promise<void> => {
      await Promise.all([out.flush(), err.flush()]);
    },
    /** Why standard output is not whole: a full disk. A reader that went away is no reason. */
    lostOutput: out.failure,
  };
}

/** NO_COLOR (no-color.org) and `--no-color` win over FORCE_COLOR; otherwise only a terminal that can. */
function wantsColor(stream: TerminalStream, { environment, noColor }: TerminalOptions): boolean {
  if (noColor || isSet(environment.NO_COLOR)) return false;
  if (isSet(environment.FORCE_COLOR)) return environment.FORCE_COLOR !== "0";
  return stream.isTTY === true && environment.TERM !== "dumb";
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";

function writer(stream: TerminalStream) {
  let open = true;
  let failure: NodeJS.ErrnoException | undefined;
  const note = (cause?: NodeJS.ErrnoException | null): void => {
    if (cause && open && cause.code !== "EPIPE") failure ??= cause;
    // EPIPE: the reader has gone. Work in progress must still end properly, so only the output stops.
    if (cause) open = false;
  };
  stream.on("error", note);
  return {
    write: (text: string): void => {
      if (open && text !== "") stream.write(text, note);
    },
    flush: () => new Promise<void>((resolve) => (open ? stream.write("", () => resolve()) : resolve())),
    failure: (): NodeJS.ErrnoException | undefined => failure,
  };
}
