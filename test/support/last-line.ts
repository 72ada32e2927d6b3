/** Ends the output of a test run with `N passed, M failed`, for programs that read it. */
import type { Reporter, TestModule } from 'vitest/node';

export class LastLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const withState = (state: string): number => tests.filter((test) => test.result().state === state).length;
    // A file that could not be loaded has no tests to count, and an error outside of a test fails the run as well.
    const broken = modules.reduce((sum, module) => sum + module.errors().length, errors.length);
    process.stdout.write(`${withState('passed')} passed, ${withState('failed') + broken} failed\n`);
  }
}
