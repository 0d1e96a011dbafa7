// How well pictures must be drawn for them to keep up with the screen: a level of quality, 0 the best, found from the time between pictures.
// A screen shows nothing of how much time is left over, so a better level is tried now and then; each time it fails the wait doubles.
const FRAME = 1000 / 60; // ms; screens that refresh more often are not waited for
const LATE = 1.2; // times the screen's period: a sixth of the pictures miss a refresh
const WINDOW = 400; // ms that are judged together; chosen, from 200 (changes at each hiccup) to 1000 (slow to follow)
const FEW = 2; // pictures at least
const SKIP = 2; // pictures after a change: programs are compiled and buffers made then
const WAIT = 5; // good windows until a better level is tried
const LONGEST_WAIT = 80; // about half a minute
const IDLES = 30; // ticks from which the screen's period is taken
const SLOWEST = 1000 / 30; // ms, of a screen
const PAUSE = 2000; // ms: pages out of sight draw nothing

export class Pace {
  constructor(levels) {
    Object.assign(this, { levels, level: 0, period: FRAME, wait: WAIT, tried: false, rate: 0, least: Infinity, idles: 0 });
    this.restart(0);
  }

  restart(skip) {
    Object.assign(this, { skip, sum: 0, count: 0 });
  }

  change(level) {
    this.level = Math.min(Math.max(level, 0), this.levels - 1);
    this.good = 0;
    this.restart(SKIP);
  }

  // ms since the last tick, in which nothing was drawn: the shortest of some is the screen's own period
  idle(interval) {
    this.least = Math.min(this.least, interval);
    this.idles += 1;
    if (this.idles === IDLES) {
      this.period = Math.min(Math.max(this.least, FRAME), SLOWEST);
      Object.assign(this, { least: Infinity, idles: 0 });
    }
  }

  // ms since the last tick, in which a picture was drawn
  add(interval) {
    if (interval > PAUSE) {
      this.restart(SKIP);
    } else if (this.skip > 0) {
      this.skip -= 1;
    } else {
      this.sum += interval;
      this.count += 1;
      if (this.sum >= WINDOW && this.count >= FEW) {
        this.judge(this.sum / this.count);
      }
    }
  }

  judge(mean) {
    this.rate = 1000 / mean;
    this.restart(0);
    if (mean > LATE * this.period) {
      if (this.tried) {
        this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
      }
      this.tried = false;
      if (this.level + 1 < this.levels) {
        this.change(this.level + 1 + Math.floor(Math.log(mean / (LATE * this.period)) / Math.log(3)));
      }
      return;
    }
    this.good += 1;
    if (this.good < this.wait) {
      return;
    }
    if (this.tried) { // it has held
      this.wait = WAIT;
    }
    this.tried = this.level > 0;
    if (this.tried) {
      this.change(this.level - 1);
    }
  }
}
