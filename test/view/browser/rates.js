// rates.js FILUM CHROMIUM [SCENE...]: of moving scenes in windows of some sizes, ms of processor time that a picture takes at levels of
// quality (of the process that draws + of the page's own: how many a second there are), and how many at the level that the page chooses by itself.
// A table for docs/view.md, not a test: it says as much of the machine and what else it does as of the page.
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PORT, launch, open, start } from './browser.js';

const [filum, executablePath, ...names] = process.argv.slice(2);
const scenes = names.length > 0 ? names : ['hanging_rod', 'demo', 'fifty_rods'];
const SIZES = [[640, 360], [1280, 720]];
const TICK = 10; // ms, of the kernel's times
const SETTLE = 9000; // ms until the quality is found
const MEASURED = 4000; // ms

// a line of /proc: whose child it is, the processor time it has used, what it is
function read(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ').map(Number);
    return { pid: Number(pid), parent: fields[1], used: TICK * (fields[11] + fields[12]), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') };
  } catch {
    return null; // it has ended
  }
}

// ms that the browser's processes have used
function used() {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(read).filter(Boolean);
  const sums = { draws: 0, page: 0 };
  const walk = (pid) => all.filter(({ parent }) => parent === pid).forEach((child) => {
    sums.draws += /type=gpu/.test(child.command) ? child.used : 0;
    sums.page += /type=renderer/.test(child.command) ? child.used : 0;
    walk(child.pid);
  });
  walk(process.pid);
  return sums;
}

const counted = (page) => page.evaluate(() => ({ pictures: window.filum.quality.pictures, time: performance.now() }));

async function measure(page) {
  const [first, before] = [await counted(page), used()];
  await sleep(MEASURED);
  const [last, after] = [await counted(page), used()];
  const pictures = last.pictures - first.pictures;
  const level = await page.evaluate(() => window.filum.quality.shown);
  return { rate: (1000 * pictures) / (last.time - first.time), level, draws: (after.draws - before.draws) / pictures, page: (after.page - before.page) / pictures };
}

const LEVELS = [0, 2, 3, 5];
console.log(`| scene | window | ${LEVELS.map((level) => `level ${level}`).join(' | ')} | by itself: level | pictures a second |\n|${'---|'.repeat(LEVELS.length + 4)}`);
const browser = await launch(executablePath);
try {
  for (const scene of scenes) {
    const program = start(filum, ['view', scene, '--port', String(PORT)]);
    await program.ready;
    for (const [width, height] of SIZES) {
      const look = async (mode, settle) => {
        const page = await open(browser, { width, height }, `#bare&quality=${mode}`);
        await page.keyboard.press('r'); // from the start on, where objects move
        await sleep(settle);
        const measured = await measure(page);
        await page.close();
        return measured;
      };
      const costs = [];
      for (const level of LEVELS) {
        const { draws, page, rate } = await look(level, 2000);
        costs.push(`${draws.toFixed(0)} + ${page.toFixed(0)}: ${rate.toFixed(0)}`);
      }
      const { level, rate } = await look('auto', SETTLE);
      console.log(`| ${scene} | ${width}x${height} | ${costs.join(' | ')} | ${level} | ${rate.toFixed(0)} |`);
    }
    await program.stop();
  }
} finally {
  await browser.close();
}
