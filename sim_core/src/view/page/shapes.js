// Geometry of rigid shapes, each in its own frame with z along its axis.
import * as THREE from './lib/three/build/three.module.js';
import { ConvexGeometry } from './lib/three/examples/jsm/geometries/ConvexGeometry.js';

const HALF_SPACE = 40; // m, what is shown of one
const upright = (geometry) => geometry.rotateX(Math.PI / 2);

function points(list) {
  const out = [];
  for (let i = 0; i + 2 < list.length; i += 3) {
    out.push(new THREE.Vector3(list[i], list[i + 1], list[i + 2]));
  }
  return out;
}

function triangles(shape) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(shape.points, 3));
  geometry.setIndex(shape.triangles);
  geometry.computeVertexNormals();
  return geometry;
}

function revolution({ radii, length }) {
  const rim = radii.map((r, i) => new THREE.Vector2(r, length * (i / (radii.length - 1) - 0.5)));
  return upright(new THREE.LatheGeometry([new THREE.Vector2(0, -length / 2), ...rim, new THREE.Vector2(0, length / 2)], 64));
}

// around: sides of a sphere's equator
export function shapeGeometry(shape, around = 40) {
  switch (shape.type) {
    case 'sphere': return new THREE.SphereGeometry(shape.radius, around, Math.ceil(0.6 * around));
    case 'capsule': return upright(new THREE.CapsuleGeometry(shape.radius, shape.length, 12, 32));
    case 'cylinder': return upright(new THREE.CylinderGeometry(shape.radius, shape.radius, shape.length, 48));
    case 'box': return new THREE.BoxGeometry(...shape.size);
    case 'revolution': return revolution(shape);
    case 'half_space': return new THREE.PlaneGeometry(HALF_SPACE, HALF_SPACE);
    default: return shape.triangles.length > 0 ? triangles(shape) : new ConvexGeometry(points(shape.points));
  }
}

// a checked floor: squares of 0.1 m, darker lines each metre
export function floorMaterial(dark) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 512;
  const paint = canvas.getContext('2d');
  paint.fillStyle = dark ? '#23282f' : '#ece8df';
  paint.fillRect(0, 0, 512, 512);
  for (let i = 0; i <= 10; i++) {
    paint.strokeStyle = i % 10 === 0 ? (dark ? '#465061' : '#c4beb0') : dark ? '#2d343e' : '#e0dbcf';
    paint.lineWidth = i % 10 === 0 ? 5 : 2;
    paint.beginPath();
    paint.moveTo((512 * i) / 10, 0);
    paint.lineTo((512 * i) / 10, 512);
    paint.moveTo(0, (512 * i) / 10);
    paint.lineTo(512, (512 * i) / 10);
    paint.stroke();
  }
  const map = new THREE.CanvasTexture(canvas);
  map.wrapS = map.wrapT = THREE.RepeatWrapping;
  map.repeat.set(HALF_SPACE, HALF_SPACE);
  map.anisotropy = 8;
  map.colorSpace = THREE.SRGBColorSpace;
  return new THREE.MeshLambertMaterial({ map }); // dull: half the time of one that could shine, over most of a picture
}
