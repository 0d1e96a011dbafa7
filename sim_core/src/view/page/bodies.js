// The objects of a description as meshes, moved by the numbers of a frame. Each part knows what a pointer that hits it holds.
import * as THREE from './lib/three/build/three.module.js';
import { floorMaterial, shapeGeometry } from './shapes.js';
import { Tube } from './tube.js';

// what a description says about colours (view/describe.c)
const paint = ({ color, opacity = 1 }) => ({ color, opacity, transparent: opacity < 1 });
const HAND_NUMBERS = 6;
const POSE_NUMBERS = 7;
const SLEEVE = 4; // nodes of a smooth body's line from disk to disk
const MARK_SIDES = 14; // of a handle's ball, which is small
const SEEN = 4; // rings and handles are at least so many times as wide as the thinnest line

const middleOf = (points) => [0, 1, 2].map((k) => points.reduce((sum, x, i) => (i % 3 === k ? sum + x : sum), 0) / (points.length / 3));

class Curve {
  constructor({ nodes, edges, closed, radii, flat, plain, whole }, color) {
    this.whole = whole;
    this.edges = edges;
    this.nodes = nodes;
    this.closed = closed;
    this.numbers = 3 * (nodes + edges);
    this.plain = plain;
    this.tube = new Tube({ nodes, closed, color, flat, striped: !plain, radius: (u) => radii[Math.min(Math.floor(u), edges - 1)] });
    this.meshes = [this.tube.mesh];
    // of the two edges at a node
    this.director = (i, k) => {
      const after = Math.min(i, edges - 1);
      const before = i > 0 ? i - 1 : closed ? edges - 1 : 0;
      return this.now[this.first + 3 * after + k] + this.now[this.first + 3 * before + k];
    };
  }

  update(numbers, offset) {
    this.now = numbers;
    this.first = offset + 3 * this.nodes;
    this.tube.update(this.plain ? this.widened(numbers.subarray(offset, this.first)) : numbers, this.plain ? 0 : offset, this.director);
  }

  // a ring too small to be seen, about its middle
  widened(nodes) {
    const middle = middleOf(nodes);
    const radius = Math.hypot(...middle.map((x, k) => nodes[k] - x));
    const scale = Math.max(1, (SEEN * Tube.least) / radius);
    return scale > 1 ? nodes.map((x, i) => middle[i % 3] + scale * (x - middle[i % 3])) : nodes;
  }

  // of the first edge: x along the first director, z along the edge
  frames() {
    const { center, director } = this.tube;
    const z = new THREE.Vector3().fromArray(center, 3).sub(new THREE.Vector3().fromArray(center, 0)).normalize();
    const x = new THREE.Vector3().fromArray(director, 0);
    x.addScaledVector(z, -x.dot(z)).normalize();
    const matrix = new THREE.Matrix4().makeBasis(x, new THREE.Vector3().crossVectors(z, x), z);
    return [matrix.setPosition(center[0], center[1], center[2])];
  }

  // `point` is what is pulled: the node, or the middle of what is pulled as a whole
  grip(hit) {
    const part = this.tube.nodeOf(hit.face);
    const { center, fine } = this.tube;
    const point = this.whole ? middleOf(center.subarray(0, 3 * fine * this.nodes)) : [...center.subarray(3 * fine * part, 3 * fine * part + 3)];
    return { part, local: [0, 0, 0], point };
  }
}

const [x, from, to] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];

class Shapes {
  constructor({ shapes, sleeve, kind }, color, dark) {
    this.radii = kind === 'handles' ? shapes.map(({ radius }) => radius) : null;
    this.numbers = POSE_NUMBERS * shapes.length;
    this.meshes = shapes.map((shape) => {
      const floor = shape.type === 'half_space';
      const material = floor ? floorMaterial(dark) : new THREE.MeshStandardMaterial({ ...paint(shape), roughness: 0.6, metalness: 0, flatShading: shape.type === 'hull' || shape.type === 'mesh' });
      const mesh = new THREE.Mesh(shapeGeometry(shape, this.radii ? MARK_SIDES : undefined), material);
      mesh.castShadow = !floor;
      mesh.receiveShadow = true;
      mesh.userData.floor = floor;
      mesh.userData.still = !shape.moves;
      return mesh;
    });
    this.count = shapes.length;
    this.names = shapes.map(({ part }) => part);
    if (sleeve && shapes.length > 1) { // a smooth body over its disks
      const nodes = SLEEVE * (shapes.length - 1) + 1;
      this.line = new Float32Array(3 * nodes);
      const radius = (node) => {
        const u = node / SLEEVE;
        const i = Math.min(Math.floor(u), shapes.length - 2);
        return 1.01 * ((1 - u + i) * shapes[i].radius + (u - i) * shapes[i + 1].radius);
      };
      this.tube = new Tube({ nodes, closed: false, color, radius, striped: false, fine: 1 });
      this.director = (node, k) => x.set(1, 0, 0).applyQuaternion(this.disk(Math.round(node / SLEEVE)).quaternion).getComponent(k);
      this.meshes.slice(1, -1).forEach((disk) => { disk.visible = false; });
      this.meshes.push(this.tube.mesh);
    }
  }

  update(numbers, offset) {
    for (let s = 0; s < this.count; s++) {
      const at = offset + POSE_NUMBERS * s;
      const there = Number.isFinite(numbers[at]); // else it is not there now
      if (there !== (this.meshes[s].userData.there ?? true)) {
        this.meshes[s].userData.there = there;
        this.meshes[s].visible = there;
      }
      if (!there) {
        continue;
      }
      this.meshes[s].position.fromArray(numbers, at);
      this.meshes[s].quaternion.fromArray(numbers, at + 3);
      if (this.radii) {
        this.meshes[s].scale.setScalar(Math.max(1, (SEEN * Tube.least) / this.radii[s]));
      }
      this.meshes[s].updateMatrixWorld();
    }
    if (this.tube) {
      this.drawSleeve();
    }
  }

  disk(i) {
    return this.meshes[Math.min(i, this.count - 1)];
  }

  // Hermite's cubic from disk to disk, along their axes, as drawings and markers have it (view/show.c)
  drawSleeve() {
    for (let node = 0; node < this.tube.nodes; node++) {
      const i = Math.min(Math.floor(node / SLEEVE), this.count - 2);
      const a = this.disk(i);
      const b = this.disk(i + 1);
      const u = node / SLEEVE - i;
      const v = 1 - u;
      const gap = a.position.distanceTo(b.position);
      from.set(0, 0, gap).applyQuaternion(a.quaternion);
      to.set(0, 0, gap).applyQuaternion(b.quaternion);
      x.copy(a.position).multiplyScalar(v * v * (1 + 2 * u)).addScaledVector(b.position, u * u * (1 + 2 * v));
      x.addScaledVector(from, u * v * v).addScaledVector(to, -u * u * v).toArray(this.line, 3 * node);
    }
    this.tube.update(this.line, 0, this.director);
  }

  // robots are named by their links
  label(hit) {
    const part = this.names[this.meshes.indexOf(hit.object)];
    return part ? `${this.name}: ${part}` : this.name;
  }

  frames() {
    return this.meshes.slice(0, this.count).filter((mesh) => !mesh.userData.floor && mesh.userData.there !== false).map((mesh) => mesh.matrixWorld);
  }

  grip(hit) {
    const part = this.tube && hit.object === this.tube.mesh ? Math.round(this.tube.nodeOf(hit.face) / SLEEVE) : this.meshes.indexOf(hit.object);
    return { part, local: this.meshes[part].worldToLocal(hit.point.clone()).toArray(), point: hit.point.toArray() };
  }
}

const ROUNDING = 1e-5; // strains below are those of numbers in single precision

// from blue by yellow to red
const WARM = [[0.16, 0.42, 0.75], [0.95, 0.85, 0.3], [0.82, 0.16, 0.13]].map((c) => new THREE.Color(...c));
const warm = (share, color) => (share < 0.5 ? color.lerpColors(WARM[0], WARM[1], 2 * share) : color.lerpColors(WARM[1], WARM[2], 2 * share - 1));

// Whether a surface has flat sides and sharp edges, as a block has: then its sides are shaded flat. By the angles between triangles that
// share an edge: those of a block are small or large, those of something round in between.
function isBlock(at, triangles) {
  const [SMALL, LARGE] = [Math.cos(0.1), Math.cos(0.8)]; // rad; chosen
  const corner = (v) => new THREE.Vector3(at[3 * v], at[3 * v + 1], at[3 * v + 2]);
  const sides = new Map();
  const count = { sharp: 0, round: 0, all: 0 };
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = triangles.slice(t, t + 3);
    const normal = corner(b).sub(corner(a)).cross(corner(c).sub(corner(a))).normalize();
    for (const [u, v] of [[a, b], [b, c], [c, a]]) {
      const key = u < v ? `${u},${v}` : `${v},${u}`;
      const other = sides.get(key);
      const cosine = other ? other.dot(normal) : 1;
      count.all += other ? 1 : 0;
      count.sharp += cosine < LARGE ? 1 : 0;
      count.round += cosine >= LARGE && cosine < SMALL ? 1 : 0;
      sides.set(key, normal);
    }
  }
  return count.sharp > 0 && count.round < 0.1 * count.all;
}

class Surface {
  constructor({ vertices, triangles, rest }, color) {
    this.numbers = 3 * vertices;
    Object.assign(this, { triangles, color: new THREE.Color(color.color ?? color) });
    this.lengths = rest ? this.edges(rest) : null;
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute('position', this.position);
    // there from the first picture on: what has no normals then is shaded flat for ever
    geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setIndex(triangles);
    const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color, roughness: 0.75, metalness: 0, side: THREE.DoubleSide, flatShading: Boolean(rest) && isBlock(rest, triangles) }));
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    this.meshes = [mesh];
  }

  update(numbers, offset) {
    for (let i = 0; i < this.numbers; i++) {
      this.position.array[i] = numbers[offset + i];
    }
    this.position.needsUpdate = true;
    this.meshes[0].geometry.computeVertexNormals();
    this.meshes[0].geometry.boundingSphere = null;
  }

  // lengths of the triangles' sides
  edges(at) {
    const { triangles } = this;
    return Float32Array.from(triangles, (from, e) => {
      const to = triangles[e % 3 === 2 ? e - 2 : e + 1];
      return Math.hypot(at[3 * to] - at[3 * from], at[3 * to + 1] - at[3 * from + 1], at[3 * to + 2] - at[3 * from + 2]);
    });
  }

  // of each vertex: the largest change of length, by its length, of the sides around it
  strains() {
    const strains = new Float32Array(this.numbers / 3);
    if (this.lengths) {
      this.edges(this.position.array).forEach((length, e) => {
        const strain = Math.abs(length / this.lengths[e] - 1);
        [this.triangles[e], this.triangles[e % 3 === 2 ? e - 2 : e + 1]].forEach((v) => { strains[v] = Math.max(strains[v], strain); });
      });
    }
    return strains;
  }

  // colours by strains, `max` the warmest; null: the surface's own
  showStrains(strains, max) {
    const [mesh] = this.meshes;
    if (mesh.material.vertexColors !== (strains !== null)) {
      mesh.material.vertexColors = strains !== null;
      mesh.material.color.set(strains ? '#ffffff' : this.color);
      mesh.material.needsUpdate = true;
    }
    if (strains) {
      const colors = new Float32Array(this.numbers);
      const color = new THREE.Color();
      strains.forEach((strain, v) => warm(max > ROUNDING ? strain / max : 0, color).toArray(colors, 3 * v));
      mesh.geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
    }
  }

  grip(hit) {
    const { face, point } = hit;
    const corner = new THREE.Vector3();
    const distance = (v) => corner.fromBufferAttribute(this.position, v).distanceTo(point);
    const [part] = [face.a, face.b, face.c].sort((a, b) => distance(a) - distance(b));
    return { part, local: [0, 0, 0], point: corner.fromBufferAttribute(this.position, part).toArray() };
  }
}

// whether numbers from `offset` on differ from the last ones, which they become
function renew(last, numbers, offset) {
  let differs = false;
  for (let i = 0; i < last.length; i++) {
    differs ||= last[i] !== numbers[offset + i];
    last[i] = numbers[offset + i];
  }
  return differs;
}

export class Bodies {
  constructor(scene, description, dark) {
    this.group = new THREE.Group();
    this.parts = [];
    description.objects.forEach((object, i) => {
      const { color, visible } = object;
      const parts = [object.curve && new Curve(object.curve, color), object.shapes && new Shapes(object, color, dark), object.surface && new Surface(object.surface, color)];
      parts.filter(Boolean).forEach((part) => {
        Object.assign(part, { object: i, name: object.name, last: new Float32Array(part.numbers).fill(NaN) });
        part.meshes.forEach((mesh) => {
          mesh.userData.part = part;
          mesh.visible &&= visible;
          this.group.add(mesh);
        });
        this.parts.push(part);
      });
    });
    scene.add(this.group);
  }

  // only what has changed is made anew and uploaded; pixels of another size change all
  update(numbers) {
    const all = Tube.pixel !== this.pixel;
    this.pixel = Tube.pixel;
    let offset = HAND_NUMBERS;
    for (const part of this.parts) {
      if (renew(part.last, numbers, offset) || all) {
        part.update(numbers, offset);
      }
      offset += part.numbers;
    }
    return offset === numbers.length;
  }

  // pictures on floors, which are seen at a slant
  floors() {
    return this.group.children.filter((mesh) => mesh.userData.floor).map((mesh) => mesh.material.map);
  }

  // colours surfaces by their strains; returns the largest
  showStrains(shown) {
    const surfaces = this.parts.filter((part) => part.strains);
    const strains = shown ? surfaces.map((surface) => surface.strains()) : [];
    const max = strains.reduce((largest, list) => list.reduce((a, b) => Math.max(a, b), largest), 0);
    surfaces.forEach((surface, i) => surface.showStrains(shown ? strains[i] : null, max));
    return max;
  }

  // ends of axes of all frames, `size` long: x, y and z of each
  axes(size) {
    const matrices = this.parts.flatMap((part) => (part.frames ? part.frames() : []));
    const ends = new Float32Array(18 * matrices.length);
    const end = new THREE.Vector3();
    matrices.forEach((matrix, i) => {
      for (let k = 0; k < 3; k++) {
        end.setFromMatrixPosition(matrix).toArray(ends, 18 * i + 6 * k);
        end.set(0, 0, 0).setComponent(k, size).applyMatrix4(matrix).toArray(ends, 18 * i + 6 * k + 3);
      }
    });
    return ends;
  }

  // of all that is no floor: some thousands of its vertices, three numbers each
  points() {
    const meshes = this.group.children.filter((mesh) => mesh.visible && !mesh.userData.floor);
    const all = meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0);
    const step = Math.max(1, Math.floor(all / 20000));
    const points = [];
    const p = new THREE.Vector3();
    meshes.forEach((mesh) => {
      const { position } = mesh.geometry.attributes;
      for (let i = 0; i < position.count; i += step) {
        p.fromBufferAttribute(position, i).applyMatrix4(mesh.matrixWorld);
        points.push(p.x, p.y, p.z);
      }
    });
    return points;
  }

  // around all that moves or is no floor
  bounds(name) {
    const box = new THREE.Box3();
    for (const part of this.parts) {
      for (const mesh of part.meshes) {
        if (!mesh.userData.floor && mesh.visible && (!name || part.name === name)) {
          mesh.geometry.boundingBox = null;
          box.expandByObject(mesh);
        }
      }
    }
    return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-0.5, -0.5, 0), new THREE.Vector3(0.5, 0.5, 0.5)) : box;
  }

  dispose() {
    this.group.removeFromParent();
    this.group.traverse((mesh) => {
      mesh.geometry?.dispose();
      mesh.material?.map?.dispose();
      mesh.material?.dispose();
    });
  }
}
