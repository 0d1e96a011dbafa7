// A tube around a line of nodes. Between nodes it follows a Catmull-Rom curve; the first directors turn its stripe.
import * as THREE from './lib/three/build/three.module.js';

const AROUND = 12;

function stripes() {
  const canvas = document.createElement('canvas');
  canvas.width = 64;
  canvas.height = 1;
  const paint = canvas.getContext('2d');
  paint.fillStyle = '#ffffff';
  paint.fillRect(0, 0, 64, 1);
  paint.fillStyle = '#9a9a9a';
  paint.fillRect(0, 0, 4, 1);
  paint.fillRect(60, 0, 4, 1);
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = THREE.RepeatWrapping;
  return texture;
}

// points of a section and their normals, in the frame of the directors
const ROUND = Array.from({ length: AROUND + 1 }, (_, k) => {
  const angle = (2 * Math.PI * k) / AROUND;
  return [Math.cos(angle), Math.sin(angle), Math.cos(angle), Math.sin(angle)];
});

// three points on each of four sides: corners are there twice, once for each side's normal
function rectangle([width, height]) {
  return Array.from({ length: AROUND + 1 }, (_, k) => {
    const side = Math.floor((k % AROUND) / 3);
    const along = (k % 3) - 1;
    const [x, y] = [[1, along], [-along, 1], [-1, -along], [along, -1]][side];
    return [(x * width) / 2, (y * height) / 2, ...[[1, 0], [0, 1], [-1, 0], [0, -1]][side]];
  });
}

const cubic = (a, b, c, d, s) => b + 0.5 * s * (c - a + s * (2 * a - 5 * b + 4 * c - d + s * (3 * (b - c) + d - a)));

export class Tube {
  static least = 0; // m: what is thinner is drawn as thin as can be seen

  // radius(u): at the place u along the nodes; flat: width and height of a rectangular section instead
  constructor({ nodes, closed, radius, color, striped = true, flat = null, fine = nodes <= 60 ? 4 : nodes <= 250 ? 2 : 1 }) {
    Object.assign(this, { nodes, closed, radius: flat ? () => 1 : radius, profile: flat ? rectangle(flat) : ROUND });
    this.spans = closed ? nodes : nodes - 1;
    this.fine = fine; // rings from node to node
    this.rings = this.spans * this.fine + 1;
    this.caps = closed ? 0 : 2; // rings of no radius that close the ends
    this.center = new Float32Array(3 * this.rings);
    this.director = new Float32Array(3 * this.rings);
    const columns = AROUND + 1;
    const total = this.rings + this.caps;
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(new Float32Array(3 * columns * total), 3).setUsage(THREE.DynamicDrawUsage);
    this.normal = new THREE.BufferAttribute(new Float32Array(3 * columns * total), 3).setUsage(THREE.DynamicDrawUsage);
    const uv = new Float32Array(2 * columns * total);
    for (let i = 0; i < columns * total; i++) {
      uv[2 * i] = (i % columns) / AROUND;
    }
    const index = [];
    for (let r = 0; r + 1 < total; r++) {
      for (let k = 0; k < AROUND; k++) {
        const a = r * columns + k;
        index.push(a, a + 1, a + columns, a + 1, a + columns + 1, a + columns);
      }
    }
    geometry.setAttribute('position', this.position);
    geometry.setAttribute('normal', this.normal);
    geometry.setAttribute('uv', new THREE.BufferAttribute(uv, 2));
    geometry.setIndex(index);
    this.mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({
      color, roughness: 0.55, metalness: 0, map: striped ? stripes() : null, side: THREE.DoubleSide,
    }));
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
  }

  // the node nearest to a face that was hit
  nodeOf(face) {
    const ring = Math.min(Math.max(Math.floor(face.a / (AROUND + 1)) - this.caps / 2, 0), this.rings - 1);
    return Math.round(ring / this.fine) % this.nodes;
  }

  at(numbers, offset, i, k) {
    const n = this.nodes;
    const j = this.closed ? (i + n) % n : Math.min(Math.max(i, 0), n - 1);
    return numbers[offset + 3 * j + k];
  }

  // nodes from `offset` on; director(i, k): of node i
  update(numbers, offset, director) {
    const { center, director: turned, fine, rings } = this;
    for (let r = 0; r < rings; r++) {
      const i = Math.min(Math.floor(r / fine), this.spans - 1);
      const s = r / fine - i;
      for (let k = 0; k < 3; k++) {
        center[3 * r + k] = cubic(this.at(numbers, offset, i - 1, k), this.at(numbers, offset, i, k), this.at(numbers, offset, i + 1, k), this.at(numbers, offset, i + 2, k), s);
        turned[3 * r + k] = (1 - s) * director(i, k) + s * director((i + 1) % this.nodes, k);
      }
    }
    this.wrap();
  }

  wrap() {
    const { center, rings, caps } = this;
    const t = new THREE.Vector3();
    const d = new THREE.Vector3();
    const b = new THREE.Vector3();
    for (let r = 0; r < rings; r++) {
      const before = r > 0 ? r - 1 : this.closed ? rings - 2 : 0;
      const after = r + 1 < rings ? r + 1 : this.closed ? 1 : r;
      t.set(center[3 * after] - center[3 * before], center[3 * after + 1] - center[3 * before + 1], center[3 * after + 2] - center[3 * before + 2]).normalize();
      d.fromArray(this.director, 3 * r).addScaledVector(t, -d.dot(t)).normalize();
      b.crossVectors(t, d);
      const radius = Math.max(this.radius(r / this.fine), this.profile === ROUND ? Tube.least : 0);
      this.ring(r + caps / 2, 3 * r, radius, d, b);
      if (caps > 0 && (r === 0 || r === rings - 1)) {
        this.ring(r === 0 ? 0 : rings + 1, 3 * r, 0, d, b);
      }
    }
    this.position.needsUpdate = this.normal.needsUpdate = true;
    this.mesh.geometry.boundingSphere = null; // pointers look for it
  }

  ring(row, at, radius, d, b) {
    this.profile.forEach(([u, v, n, m], k) => {
      const i = row * (AROUND + 1) + k;
      const [x, y] = [radius * u, radius * v];
      this.position.setXYZ(i, this.center[at] + x * d.x + y * b.x, this.center[at + 1] + x * d.y + y * b.y, this.center[at + 2] + x * d.z + y * b.z);
      this.normal.setXYZ(i, n * d.x + m * b.x, n * d.y + m * b.y, n * d.z + m * b.z);
    });
  }
}
