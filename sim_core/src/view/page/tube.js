// A tube around a line of nodes. Between nodes it follows a Catmull-Rom curve; the first directors turn its stripe.
import * as THREE from './lib/three/build/three.module.js';

// Sides of a tube and rings from node to node by how large they are in the picture: a polygon's sides stay within half a pixel of its
// circle (r (1 - cos pi/n): n = 4 up to 1.7 px, 6 up to 3.7, 12 up to 14.7), and what lies closer together than a few pixels needs no curve between.
const FLAT_SIDES = 12;
const SIDES = [[1.7, 4], [3.7, 6], [14.7, 12], [Infinity, 24]];
const RINGS = [[4, 1], [10, 2], [Infinity, 4]]; // px from node to node; chosen
const CHANGE = 0.15; // of a pixel's size, before a tube is cut anew
const pick = (rows, size) => (rows.find(([limit]) => size < limit) ?? rows[rows.length - 1])[1];

let stripe = null; // of all tubes

function stripes() {
  if (stripe) {
    return stripe;
  }
  const canvas = document.createElement('canvas');
  canvas.width = 64;
  canvas.height = 1;
  const paint = canvas.getContext('2d');
  paint.fillStyle = '#ffffff';
  paint.fillRect(0, 0, 64, 1);
  paint.fillStyle = '#9a9a9a';
  paint.fillRect(0, 0, 4, 1);
  paint.fillRect(60, 0, 4, 1);
  stripe = new THREE.CanvasTexture(canvas);
  stripe.wrapS = THREE.RepeatWrapping;
  return stripe;
}

// points of a section and their normals, in the frame of the directors: four numbers each
const round = (sides) => Float32Array.from({ length: 4 * (sides + 1) }, (_, i) => {
  const angle = (2 * Math.PI * Math.floor(i / 4)) / sides;
  return i % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
});
const ROUND = Object.fromEntries(SIDES.map(([, sides]) => [sides, round(sides)]));

// three points on each of four sides: corners are there twice, once for each side's normal
function rectangle([width, height]) {
  return Float32Array.from(Array.from({ length: FLAT_SIDES + 1 }, (_, k) => {
    const side = Math.floor((k % FLAT_SIDES) / 3);
    const along = (k % 3) - 1;
    const [x, y] = [[1, along], [-along, 1], [-1, -along], [along, -1]][side];
    return [(x * width) / 2, (y * height) / 2, ...[[1, 0], [0, 1], [-1, 0], [0, -1]][side]];
  }).flat());
}

const cubic = (a, b, c, d, s) => b + 0.5 * s * (c - a + s * (2 * a - 5 * b + 4 * c - d + s * (3 * (b - c) + d - a)));

export class Tube {
  static pixel = 0; // m, where the camera looks

  static get least() { return 0.75 * Tube.pixel; } // m: what is thinner is drawn as thin as can be seen

  // radius(u): at the place u along the nodes; flat: width and height of a rectangular section instead; fine: at most so many rings from node to node
  constructor({ nodes, closed, radius, color, striped = true, flat = null, fine = nodes <= 60 ? 4 : nodes <= 250 ? 2 : 1 }) {
    Object.assign(this, { nodes, closed, radius: flat ? () => 1 : radius, flat: flat ? rectangle(flat) : null, finest: fine });
    this.spans = closed ? nodes : nodes - 1;
    this.caps = closed ? 0 : 2; // rings of no radius that close the ends
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshStandardMaterial({
      color, roughness: 0.55, metalness: 0, map: striped ? stripes() : null, shadowSide: THREE.DoubleSide,
    }));
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.cut(flat ? FLAT_SIDES : SIDES[0][1], 1); // what has no normals in the first picture is shaded flat for ever
  }

  // cuts it for the present size of a pixel; edge: m from node to node
  fit(edge) {
    if (this.cutAt && Math.abs(Tube.pixel / this.cutAt - 1) < CHANGE) {
      return;
    }
    this.cutAt = Tube.pixel;
    const sides = this.flat ? FLAT_SIDES : pick(SIDES, this.radius(0) / Tube.pixel);
    const fine = Math.min(this.finest, pick(RINGS, edge / Tube.pixel));
    if (sides !== this.sides || fine !== this.fine) {
      this.cut(sides, fine);
    }
  }

  cut(sides, fine) {
    Object.assign(this, { sides, fine, profile: this.flat ?? ROUND[sides], rings: this.spans * fine + 1 });
    this.center = new Float32Array(3 * this.rings);
    this.director = new Float32Array(3 * this.rings);
    const columns = sides + 1;
    const total = this.rings + this.caps;
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(new Float32Array(3 * columns * total), 3).setUsage(THREE.DynamicDrawUsage);
    this.normal = new THREE.BufferAttribute(new Float32Array(3 * columns * total), 3).setUsage(THREE.DynamicDrawUsage);
    const uv = new Float32Array(2 * columns * total);
    for (let i = 0; i < columns * total; i++) {
      uv[2 * i] = (i % columns) / sides;
    }
    const index = [];
    for (let r = 0; r + 1 < total; r++) {
      for (let k = 0; k < sides; k++) {
        const a = r * columns + k;
        index.push(a, a + 1, a + columns, a + 1, a + columns + 1, a + columns);
      }
    }
    geometry.setAttribute('position', this.position);
    geometry.setAttribute('normal', this.normal);
    geometry.setAttribute('uv', new THREE.BufferAttribute(uv, 2));
    geometry.setIndex(index);
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
  }

  // the node nearest to a face that was hit
  nodeOf(face) {
    const ring = Math.min(Math.max(Math.floor(face.a / (this.sides + 1)) - this.caps / 2, 0), this.rings - 1);
    return Math.round(ring / this.fine) % this.nodes;
  }

  // where the numbers of node i are
  place(offset, i) {
    const { closed, nodes } = this;
    return offset + 3 * (closed ? (i + nodes) % nodes : Math.min(Math.max(i, 0), nodes - 1));
  }

  // nodes from `offset` on; director(i, k): of node i
  update(numbers, offset, director) {
    this.fit(Math.hypot(numbers[offset + 3] - numbers[offset], numbers[offset + 4] - numbers[offset + 1], numbers[offset + 5] - numbers[offset + 2]));
    const { center, director: turned, fine, rings, nodes } = this;
    for (let i = 0; i < this.spans; i++) {
      const a = this.place(offset, i - 1);
      const b = this.place(offset, i);
      const c = this.place(offset, i + 1);
      const d = this.place(offset, i + 2);
      const next = (i + 1) % nodes;
      const last = i + 1 === this.spans ? fine : fine - 1;
      for (let k = 0; k < 3; k++) {
        const d0 = director(i, k);
        const d1 = director(next, k);
        for (let f = 0; f <= last; f++) {
          const s = f / fine;
          const place = 3 * (i * fine + f) + k;
          center[place] = cubic(numbers[a + k], numbers[b + k], numbers[c + k], numbers[d + k], s);
          turned[place] = (1 - s) * d0 + s * d1;
        }
      }
    }
    this.wrap(rings);
  }

  // plain numbers in plain loops: thousands of rings are wrapped for each picture
  wrap(rings) {
    const { center: x, director, caps, closed, fine } = this;
    const least = this.flat ? 0 : Tube.least;
    for (let r = 0; r < rings; r++) {
      const before = 3 * (r > 0 ? r - 1 : closed ? rings - 2 : 0);
      const after = 3 * (r + 1 < rings ? r + 1 : closed ? 1 : r);
      let tx = x[after] - x[before];
      let ty = x[after + 1] - x[before + 1];
      let tz = x[after + 2] - x[before + 2];
      const long = 1 / (Math.sqrt(tx * tx + ty * ty + tz * tz) || 1);
      tx *= long;
      ty *= long;
      tz *= long;
      let dx = director[3 * r];
      let dy = director[3 * r + 1];
      let dz = director[3 * r + 2];
      const along = dx * tx + dy * ty + dz * tz;
      dx -= along * tx;
      dy -= along * ty;
      dz -= along * tz;
      const wide = 1 / (Math.sqrt(dx * dx + dy * dy + dz * dz) || 1);
      dx *= wide;
      dy *= wide;
      dz *= wide;
      const radius = Math.max(this.radius(r / fine), least);
      this.ring(r + caps / 2, 3 * r, radius, dx, dy, dz, ty * dz - tz * dy, tz * dx - tx * dz, tx * dy - ty * dx);
      if (caps > 0 && (r === 0 || r === rings - 1)) {
        this.ring(r === 0 ? 0 : rings + 1, 3 * r, 0, dx, dy, dz, ty * dz - tz * dy, tz * dx - tx * dz, tx * dy - ty * dx);
      }
    }
    this.position.needsUpdate = this.normal.needsUpdate = true;
    this.mesh.geometry.boundingSphere = null; // pointers look for it
  }

  ring(row, at, radius, dx, dy, dz, bx, by, bz) {
    const { profile, center } = this;
    const positions = this.position.array;
    const normals = this.normal.array;
    const x = center[at];
    const y = center[at + 1];
    const z = center[at + 2];
    for (let k = 0, i = 3 * row * (this.sides + 1); k < profile.length; k += 4, i += 3) {
      const u = radius * profile[k];
      const v = radius * profile[k + 1];
      const n = profile[k + 2];
      const m = profile[k + 3];
      positions[i] = x + u * dx + v * bx;
      positions[i + 1] = y + u * dy + v * by;
      positions[i + 2] = z + u * dz + v * bz;
      normals[i] = n * dx + m * bx;
      normals[i + 1] = n * dy + m * by;
      normals[i + 2] = n * dz + m * bz;
    }
  }
}
