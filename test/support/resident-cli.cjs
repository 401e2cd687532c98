// A process that stays. It runs the built command line again and again, each time with the arguments, the environment
// and the folder that it is sent, and sends back what a process of its own would have left. The program keeps nothing
// from one run to the next, so only the start is spared, which is most of a run.
const { Readable, Writable } = require("node:stream");

const { main } = require(process.argv[2]);

process.once("disconnect", () => process.kill(process.pid));

process.on("message", ({ args, cwd, env }) => {
  const [stdout, stderr] = [collect(), collect()];
  process.chdir(cwd);
  main({
    argv: [...process.argv.slice(0, 2), ...args],
    env,
    stdin: Readable.from([]),
    stdout,
    stderr,
    exit: (code) => process.send({ code, stdout: stdout.text(), stderr: stderr.text() }),
    on: (name, listener) => process.on(name, listener),
    off: (name, listener) => process.off(name, listener),
  });
});

function collect() {
  const chunks = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString() });
}
