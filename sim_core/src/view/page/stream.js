// The connection to the simulation: descriptions and frames come, commands of 64 bytes go. See frame.h and commands.h.
export const ASK = { play: 1, pause: 2, step: 3, reset: 4, speed: 5, model: 6, grab: 7, move: 8, release: 9, seek: 10, control: 11, parameter: 12 };
const MAGIC = 0x314c4946;
const HEADER = 48;

export function readFrame(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER || view.getUint32(0, true) !== MAGIC) {
    throw new Error('not a frame');
  }
  const bits = view.getUint32(4, true);
  const [probes, numbers, contacts, patches] = [24, 28, 32, 36].map((at) => view.getUint32(at, true));
  const at = HEADER + 8 * probes;
  return {
    runs: (bits & 1) !== 0, failed: (bits & 2) !== 0, time: view.getFloat64(8, true), rate: view.getFloat64(16, true), end: view.getFloat64(40, true),
    probes: new Float64Array(buffer, HEADER, probes),
    numbers: new Float32Array(buffer, at, numbers),
    contacts: new Float32Array(buffer, at + 4 * numbers, 6 * contacts),
    patches: new Float32Array(buffer, at + 4 * (numbers + 6 * contacts), 8 * patches),
    bytes: buffer.byteLength,
  };
}

export class Stream {
  constructor({ describe, frame, link }) {
    this.on = { describe, frame, link };
    this.wait = 250; // ms until the next attempt
    this.connect();
  }

  connect() {
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/stream`, 'filum');
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => { this.wait = 250; this.on.link(true); };
    socket.onmessage = ({ data }) => (typeof data === 'string' ? this.on.describe(JSON.parse(data)) : this.on.frame(readFrame(data)));
    socket.onclose = () => {
      this.on.link(false);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, 4000);
    };
    this.socket = socket;
  }

  // the canvas as a PNG, once it shows a frame that was sent for that
  async picture(canvas) {
    const blob = await new Promise((resolve) => { canvas.toBlob(resolve, 'image/png'); });
    this.socket.send(await blob.arrayBuffer());
  }

  say(text) {
    if (this.socket.readyState === WebSocket.OPEN) {
      this.socket.send(text);
    }
  }

  ask(what, { object = 0, part = 0, numbers = [] } = {}) {
    if (this.socket.readyState !== WebSocket.OPEN) {
      return;
    }
    const view = new DataView(new ArrayBuffer(64));
    [ASK[what], object, part, 0].forEach((word, i) => view.setUint32(4 * i, word, true));
    numbers.forEach((number, i) => view.setFloat64(16 + 8 * i, number, true));
    this.socket.send(view.buffer);
  }
}
