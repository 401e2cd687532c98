// Preloaded into the built command line: from the RNV_FULL_DISK_AT-th write of its state's files on, none has room.
const fs = require("node:fs");

const at = Number(process.env.RNV_FULL_DISK_AT);
const { writeSync } = fs;
let writes = 0;

fs.writeSync = (descriptor, bytes, offset, length, position) => {
  const isOfState = typeof position === "number";
  if (isOfState) writes += 1;
  if (isOfState && writes > at)
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  return writeSync.call(fs, descriptor, bytes, offset, length, position);
};
