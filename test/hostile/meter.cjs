const { peakKb } = require("../support/peak-memory.cjs");

// Loaded into the process under test: says what it took, whatever ends it.
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  require("node:fs").writeFileSync(
    process.env.HOSTILE_METER,
    JSON.stringify({ cpuMs: (user + system) / 1000, rssKb: peakKb() }),
  );
});
