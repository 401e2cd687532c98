// Loaded into the process under test: says what it took, whatever ends it.
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const memory = process.resourceUsage().maxRSS;
  require("node:fs").writeFileSync(
    process.env.HOSTILE_METER,
    JSON.stringify({ cpuMs: (user + system) / 1000, rssKb: memory }),
  );
});
