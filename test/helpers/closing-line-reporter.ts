import type { Reporter, TestModule } from "vitest/node";

/** Ends the run with one plain line that any CI can read: `N passed, N failed, N skipped`. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === "pending" ? "failed" : state]++;
      }
      // A file that could not be loaded has no tests to count, and must not pass for that.
      if (module.state() === "failed" && module.errors().length > 0) counts.failed++;
    }
    counts.failed += errors.length;
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}
