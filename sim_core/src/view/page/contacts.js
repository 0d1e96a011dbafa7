// What bodies do to each other where they touch: forces as arrows, pressure patches as discs of their area.
import * as THREE from './lib/three/build/three.module.js';

const HEAD = 0.18; // of the longest arrow
const COLOR = '#d0342c';
const NONE = new Float32Array(0);

const [matrix, color, turn] = [new THREE.Matrix4(), new THREE.Color(), new THREE.Quaternion()];
const [at, along, wide] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];

// as many copies of a shape as there are contacts now, in front of the bodies that hide them
class Copies {
  constructor(scene, geometry, material) {
    Object.assign(this, { scene, geometry, material: Object.assign(material, { depthTest: false, transparent: true }) });
    this.grow(16);
  }

  grow(count) {
    this.mesh?.removeFromParent();
    this.mesh?.dispose();
    this.mesh = new THREE.InstancedMesh(this.geometry, this.material, count);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1;
    this.scene.add(this.mesh);
  }

  // place(i): makes matrix and color of the i-th
  update(count, place) {
    if (count > this.mesh.instanceMatrix.count) {
      this.grow(2 * count);
    }
    color.set(COLOR);
    for (let i = 0; i < count; i++) {
      place(i);
      this.mesh.setMatrixAt(i, matrix);
      this.mesh.setColorAt(i, color);
    }
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) {
      this.mesh.instanceColor.needsUpdate = true;
    }
  }
}

const Y = new THREE.Vector3(0, 1, 0);
const Z = new THREE.Vector3(0, 0, 1);

export class Contacts {
  constructor(scene) {
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: COLOR, depthTest: false, transparent: true }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 2;
    scene.add(this.lines);
    this.heads = new Copies(scene, new THREE.ConeGeometry(0.35, 1, 12).translate(0, -0.5, 0), new THREE.MeshBasicMaterial());
    this.discs = new Copies(scene, new THREE.CircleGeometry(1, 40), new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, opacity: 0.5 }));
  }

  // longest: m, of the largest force's arrow
  update(shown, { contacts, patches }, longest) {
    if (shown || this.lines.visible) {
      this.lines.visible = shown;
      this.drawForces(shown ? contacts : NONE, longest);
      this.drawPatches(shown ? patches : NONE);
    }
  }

  // for the ends of lines, made larger where they do not fit
  room(numbers) {
    const { geometry } = this.lines;
    if (numbers > (geometry.attributes.position?.array.length ?? -1)) {
      geometry.dispose();
      geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(2 * numbers), 3).setUsage(THREE.DynamicDrawUsage));
    }
    geometry.setDrawRange(0, numbers / 3);
    geometry.attributes.position.needsUpdate = true;
    return geometry.attributes.position.array;
  }

  drawForces(contacts, longest) {
    const count = contacts.length / 6;
    const size = (i) => Math.hypot(contacts[6 * i + 3], contacts[6 * i + 4], contacts[6 * i + 5]);
    let largest = 0;
    for (let i = 0; i < count; i++) {
      largest = Math.max(largest, size(i));
    }
    const scale = largest > 0 ? longest / largest : 0;
    const ends = this.room(6 * count);
    for (let i = 0; i < 6 * count; i++) {
      ends[i] = i % 6 < 3 ? contacts[i] : contacts[i - 3] + scale * contacts[i];
    }
    this.heads.update(count, (i) => {
      const force = size(i);
      turn.setFromUnitVectors(Y, force > 0 ? along.fromArray(contacts, 6 * i + 3).divideScalar(force) : Y);
      matrix.compose(at.fromArray(ends, 6 * i + 3), turn, wide.setScalar(Math.min(HEAD * longest, 0.6 * scale * force)));
    });
  }

  // yellow to red by the highest pressure, as drawings have it
  drawPatches(patches) {
    let highest = 0;
    for (let i = 7; i < patches.length; i += 8) {
      highest = Math.max(highest, patches[i]);
    }
    this.discs.update(patches.length / 8, (i) => {
      const first = 8 * i;
      turn.setFromUnitVectors(Z, along.fromArray(patches, first + 3).normalize());
      matrix.compose(at.fromArray(patches, first), turn, wide.setScalar(Math.sqrt(patches[first + 6] / Math.PI)));
      color.setRGB(1, 0.82 * (1 - (highest > 0 ? patches[first + 7] / highest : 0)), 0.13, THREE.SRGBColorSpace);
    });
  }
}
