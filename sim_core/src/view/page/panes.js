// What can be set while one looks: sliders for parameters, chambers and joints; the scene's text.
const number = (value) => Number(value.toPrecision(4)).toString();

function slider({ name, unit, lower, upper, value, step }, act) {
  const label = document.createElement('label');
  const input = Object.assign(document.createElement('input'), { type: 'range', min: lower, max: upper, step, title: name });
  input.value = value;
  const output = document.createElement('output');
  const show = () => { output.textContent = `${number(Number(input.value))} ${unit}`; };
  input.oninput = () => { show(); act(Number(input.value)); };
  show();
  label.append(name, input, output);
  return label;
}

const heading = (text) => Object.assign(document.createElement('h2'), { textContent: text });

export class Panes {
  constructor(get, ask, send) {
    Object.assign(this, { get, ask, send, listed: '' });
    const toggle = (button, pane, other) => { get(button).onclick = () => { get(pane).hidden = !get(pane).hidden; get(other).hidden = true; }; };
    toggle('show-controls', 'controls', 'editor');
    toggle('show-editor', 'editor', 'controls');
    const run = () => send(get('source').value);
    get('run-source').onclick = run;
    get('source').onkeydown = (event) => {
      event.stopPropagation(); // keys of the stage are letters here
      if (event.key === 'Enter' && event.ctrlKey) {
        run();
      }
    };
  }

  describe({ controls = [], parameters = [], source, message }) {
    const { get } = this;
    get('show-controls').hidden = controls.length + parameters.length === 0;
    get('show-editor').hidden = source === undefined;
    // what is being moved or written is left alone
    const listed = JSON.stringify([controls.map(({ object, part }) => [object, part]), parameters.map(({ name }) => name)]);
    if (listed !== this.listed) {
      this.listed = listed;
      this.list(controls, parameters);
    }
    if (source !== undefined && source !== this.source) {
      this.source = source;
      get('source').value = source;
    }
    this.mark(message);
  }

  list(controls, parameters) {
    const rows = parameters.length > 0 ? [heading('parameters of the scene')] : [];
    parameters.forEach(({ name, value, whole }, part) => {
      const far = value !== 0 ? 2 * value : 1;
      const range = { lower: Math.min(0, far), upper: Math.max(0, far), step: whole ? 1 : Math.abs(far) / 400 };
      rows.push(slider({ name, unit: '', value, ...range }, (wanted) => this.later(() => this.ask('parameter', { part, numbers: [wanted] }))));
    });
    let last = '';
    controls.forEach(({ object, part, of, name, unit, lower, upper, value }) => {
      if (of !== last) {
        rows.push(heading(of));
        last = of;
      }
      const text = name === 'chamber' ? `chamber ${part}` : name;
      rows.push(slider({ name: text, unit, lower, upper, value, step: (upper - lower) / 400 }, (wanted) => this.ask('control', { object, part, numbers: [wanted] })));
    });
    this.get('controls').replaceChildren(...rows);
  }

  // a world is made anew when the slider rests
  later(act) {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, 200);
  }

  // an error names its line: file:line: what
  mark(message) {
    const line = Number(/:(\d+): /.exec(message)?.[1] ?? 0);
    if (line === 0 || this.get('editor').hidden) {
      return;
    }
    const area = this.get('source');
    const lines = area.value.split('\n');
    const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
    area.scrollTop = Math.max(0, (line - 8) * 17);
  }
}
