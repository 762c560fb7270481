#!/usr/bin/env node
// Starts the binary that npm has installed for this platform; everything else is the binary's business.
"use strict";

const { spawn } = require("node:child_process");

const name = `modekeeper-${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/modekeeper`);
} catch {
  process.stderr.write(
    `modekeeper: the package ${name} is not installed.\n` +
      "It is an optional dependency: install again without --omit=optional. " +
      "If there is no such package, your platform is not supported yet.\n",
  );
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  // The child decides when to end; this process ends after it.
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  process.stderr.write(`modekeeper: cannot start ${binary}: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    for (const listened of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(listened);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
