// The pointer: names what it is over, and pulls on what it presses. The target moves in a plane that faces the camera.
import * as THREE from './lib/three/build/three.module.js';

export class Pull {
  constructor({ canvas, camera, controls, bodies, ask, strength, label }) {
    Object.assign(this, { canvas, camera, controls, bodies, ask, strength, label });
    this.ray = new THREE.Raycaster();
    this.plane = new THREE.Plane();
    this.held = null;
    this.over = null; // where the pointer rests
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerleave', () => { this.over = null; this.label('', 0, 0); });
    for (const end of ['pointerup', 'pointercancel']) {
      canvas.addEventListener(end, () => this.release());
    }
  }

  aim(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(2 * ((event.clientX - box.left) / box.width) - 1, 1 - 2 * ((event.clientY - box.top) / box.height));
    this.ray.setFromCamera(at, this.camera);
  }

  hit(event) {
    this.aim(event);
    const bodies = this.bodies();
    return bodies ? this.ray.intersectObjects(bodies.group.children, false)[0] : undefined;
  }

  press(event) {
    const hit = event.button === 0 && !event.shiftKey && !event.ctrlKey ? this.hit(event) : undefined;
    if (!hit || hit.object.userData.still) {
      return;
    }
    const part = hit.object.userData.part;
    const { part: index, local, point } = part.grip(hit);
    this.plane.setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), hit.point);
    this.held = new THREE.Vector3(...point);
    this.aside = this.held.clone().sub(hit.point); // from where the pointer is to where it pulls: the spring is at rest until it moves
    this.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
    this.ask('grab', { object: part.object, part: index, numbers: [...local, this.strength()] });
    this.ask('move', { numbers: this.held.toArray() });
  }

  move(event) {
    if (!this.held) {
      this.over = event.buttons === 0 ? event : null;
      this.name();
      return;
    }
    this.aim(event);
    if (this.ray.ray.intersectPlane(this.plane, this.held)) {
      this.held.add(this.aside);
      this.ask('move', { numbers: this.held.toArray() });
    }
  }

  // what the pointer is over may have moved away
  name() {
    const hit = this.over && !this.held ? this.hit(this.over) : undefined;
    const part = hit?.object.userData.part;
    this.label(part?.label?.(hit) ?? part?.name ?? '', this.over?.clientX ?? 0, this.over?.clientY ?? 0);
  }

  release() {
    if (this.held) {
      this.held = null;
      this.controls.enabled = true;
      this.ask('release');
    }
  }
}
