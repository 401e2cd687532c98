// A process that stays. It runs the built command line again and again, each time with the arguments, the environment
// and the folder that it is sent, and sends back what a process of its own would have left. The program keeps nothing
// from one run to the next, so only the start is spared, which is most of a run.
const { Readable, Writable } = require("node:stream");

const { main } = require(process.argv[2]);
let current;

for (const name of ["stdin", "stdout", "stderr"])
  Object.defineProperty(process, name, { configurable: true, get: () => current[name] });
process.exit = (code) => current.end(code ?? process.exitCode ?? 0);
process.once("disconnect", () => process.kill(process.pid));

process.on("message", ({ args, cwd, env }) => {
  const stdout = collect();
  const stderr = collect();
  current = { stdin: Readable.from([]), stdout, stderr };
  current.end = (code) => process.send({ code, stdout: stdout.text(), stderr: stderr.text() });
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, process.argv[1], ...args];
  process.exitCode = undefined;
  process.chdir(cwd);
  main();
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
