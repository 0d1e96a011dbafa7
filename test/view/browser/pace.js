// pace.js PACE: the level of quality that the page's pace.js finds, on machines of which it is known what a picture costs.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

const { Pace } = await import(pathToFileURL(process.argv[2]));
const COSTS = [100, 60, 30, 20, 12, 8]; // ms a picture at each level

// pictures for some seconds, each shown at a refresh of the screen; returns the share of time at each level
function run(pace, seconds, costs, period = 1000 / 60) {
  const shares = costs.map(() => 0);
  for (let time = 0; time < 1000 * seconds;) {
    const interval = period * Math.ceil(costs[pace.level] / period);
    shares[pace.level] += interval / (1000 * seconds);
    time += interval;
    pace.add(interval);
  }
  return shares;
}

// a fast machine has the best always
const fast = new Pace(6);
assert.deepEqual(run(fast, 60, COSTS.map((cost) => cost / 8)).slice(1), [0, 0, 0, 0, 0]);
assert.ok(Math.abs(fast.rate - 60) < 0.1, `${fast.rate} pictures a second`);

// a slow one has the first level that keeps up, soon, and is seldom tried with more
const slow = new Pace(6);
run(slow, 5, COSTS);
assert.equal(slow.level, 4);
const shares = run(slow, 300, COSTS);
assert.ok(shares[4] > 0.95 && shares[4] + shares[3] > 0.999, `shares of time ${shares}`);

// once it has become fast it has the best again, and loses it when it becomes slow
run(slow, 120, COSTS.map((cost) => cost / 8));
assert.equal(slow.level, 0);
run(slow, 5, COSTS);
assert.equal(slow.level, 4);

// where nothing keeps up the last level stays
const never = new Pace(6);
run(never, 10, COSTS.map((cost) => 10 * cost));
assert.equal(never.level, 5);

// a screen of 50 Hz keeps a page that is fast enough for it at its best; without knowing the screen it would be thought slow
for (const [known, level] of [[true, 0], [false, 5]]) {
  const screen = new Pace(6);
  for (let i = 0; i < 60 && known; i++) {
    screen.idle(20 + 15 * (i % 3 === 0)); // some ticks are late
  }
  run(screen, 20, COSTS.map((cost) => cost / 8), 20.1);
  assert.equal(screen.level, level, `at 50 Hz${known ? ', known' : ''}`);
}

// out of sight for a minute: no picture was slow
const hidden = new Pace(6);
for (let i = 0; i < 20; i++) {
  hidden.add(60000);
}
assert.equal(hidden.level, 0);
console.log(`a machine that keeps up at level 4 is there for ${(100 * shares[4]).toFixed(1)} % of the time`);
