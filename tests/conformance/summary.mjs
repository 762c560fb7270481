// Prints the checks that did not pass, then one line with the counts.
// usage: node summary.mjs <output directory of the suite> <title>
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [directory, title] = process.argv.slice(2);
const files = globSync("**/checks.json", { cwd: directory }).sort();
const counts = { SUCCESS: 0, FAILURE: 0, WARNING: 0, SKIPPED: 0, INFO: 0 };

for (const file of files) {
  for (const check of JSON.parse(readFileSync(join(directory, file), "utf8"))) {
    counts[check.status] += 1;
    if (check.status === "FAILURE" || check.status === "WARNING") {
      console.log(`${check.status} ${dirname(file)} ${check.id}: ${check.errorMessage}`);
    }
  }
}

console.log(
  `conformance ${title}: ${files.length} scenarios, ${counts.SUCCESS} passed, ` +
    `${counts.FAILURE} failed, ${counts.WARNING} warnings, ${counts.SKIPPED} skipped`,
);
process.exitCode = counts.SUCCESS > 0 && counts.FAILURE === 0 ? 0 : 1;
