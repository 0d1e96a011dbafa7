// Probes over time: the last minute or so of what the frames brought.
import uPlot from './lib/uplot/dist/uPlot.esm.js';

// what does not change is drawn in the middle
const range = (_, min, max) => (min === null ? [0, 1] : max > min ? uPlot.rangeNum(min, max, 0.1, true) : [min - (Math.abs(min) || 1), max + (Math.abs(max) || 1)]);

const KEPT = 4000;
const COLORS = ['#296bb8', '#de6b24', '#269470', '#bd3361', '#7052b3', '#c7991a'];
const INITIALLY_PLOTTED = 2; // probes, until someone chooses; chosen: scenes have up to a dozen

// digits that tell a tick from its neighbours: small ranges are not all 0
const short = (tick) => String(Number(tick.toPrecision(4)));

export class Plots {
  constructor(panel, chart, list) {
    Object.assign(this, { panel, chart, list, names: [], chosen: [], data: [[]] });
  }

  describe(names) {
    if (names.join() === this.names.join()) {
      return;
    }
    this.names = names;
    this.chosen = names.map((_, i) => i < INITIALLY_PLOTTED);
    this.data = [[], ...names.map(() => [])];
    this.panel.hidden = names.length === 0;
    document.getElementById('show-plots').hidden = names.length === 0;
    this.list.replaceChildren(...names.map((name, i) => {
      const label = document.createElement('label');
      const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: this.chosen[i] });
      box.style.accentColor = COLORS[i % COLORS.length]; // that of its line
      box.onchange = () => { this.chosen[i] = box.checked; this.draw(true); };
      label.append(box, ` ${name}`);
      return label;
    }));
    this.draw(true);
  }

  add(time, values) {
    const [times] = this.data;
    if (times.length > 0 && time <= times[times.length - 1]) {
      if (time === times[times.length - 1]) {
        return;
      }
      this.data.forEach((column) => { column.length = 0; }); // it was reset
    }
    times.push(time);
    values.forEach((value, i) => this.data[i + 1].push(value));
    if (times.length > KEPT) {
      this.data.forEach((column) => column.splice(0, KEPT / 4));
    }
  }

  draw(anew = false) {
    const shown = this.names.map((_, i) => i).filter((i) => this.chosen[i]);
    const data = [this.data[0], ...shown.map((i) => this.data[i + 1])];
    if (anew || !this.plot) {
      this.plot?.destroy();
      const axis = { stroke: '#7b8290', grid: { stroke: '#7b829033' }, ticks: { stroke: '#7b829033' } };
      this.plot = new uPlot({
        width: 420, height: 170, scales: { x: { time: false }, y: { range } }, axes: [axis, { ...axis, size: 64, values: (_, ticks) => ticks.map(short) }], legend: { show: false },
        series: [{ label: 't' }, ...shown.map((i) => ({ label: this.names[i], stroke: COLORS[i % COLORS.length], width: 1.5, points: { show: false } }))],
      }, data, this.chart);
      return;
    }
    this.plot.setData(data);
  }
}
