// How pictures are drawn: at levels from the best to the fastest. While something moves the pace chooses one, or the user; what rests
// is drawn at the best.
import * as THREE from './lib/three/build/three.module.js';
import { Pace } from './pace.js';

// Device pixels for each of the page's (at most), samples for each of those, texels across the shadows' picture, and samples along slanting
// textures. In the order in which they are missed least; in Chromium's software renderer each saves a fifth to a half of a picture's time.
const LEVELS = [
  { ratio: 2, samples: 4, shadows: 2048, slant: 8 },
  { ratio: 1, samples: 4, shadows: 1024, slant: 4 },
  { ratio: 1, samples: 0, shadows: 1024, slant: 1 },
  { ratio: 1, samples: 0, shadows: 0, slant: 1 },
  { ratio: 0.7, samples: 0, shadows: 0, slant: 1 },
  { ratio: 0.5, samples: 0, shadows: 0, slant: 1 },
];
const REST = 300; // ms after which what has stopped is drawn at its best
const SLOW = 2000; // ms until that where more is to come: pictures of a slow simulation are not drawn twice

// The picture with several samples a pixel, before it is shown. It has the screen's colours already, so that blending is the same with and
// without it; three.js does that only for targets that are said to be a headset's.
function makeTarget(samples) {
  const target = new THREE.WebGLRenderTarget(1, 1, { samples, internalFormat: 'RGBA8', colorSpace: THREE.SRGBColorSpace, magFilter: THREE.NearestFilter, minFilter: THREE.NearestFilter });
  target.isXRRenderTarget = true;
  return target;
}

// one triangle over the whole screen
function makeCopy(texture) {
  const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
  const mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial({
    uniforms: { picture: { value: texture } },
    vertexShader: 'varying vec2 at; void main() { at = 0.5 * position.xy + 0.5; gl_Position = vec4(position.xy, 0.0, 1.0); }',
    fragmentShader: 'uniform sampler2D picture; varying vec2 at; void main() { gl_FragColor = texture2D(picture, at); }',
    depthTest: false, depthWrite: false,
  }));
  mesh.frustumCulled = false;
  return mesh;
}

export class Quality {
  // mode: 'auto', 'best', 'fast' or a level
  constructor(renderer, sun, mode) {
    Object.assign(this, { renderer, sun, mode, shown: -1, ticked: 0, drew: false, moved: 0, pictures: 0 });
    this.pace = new Pace(LEVELS.length);
    this.target = makeTarget(LEVELS[0].samples);
    this.copy = makeCopy(this.target.texture);
    this.slanting = [];
  }

  // textures that are seen at a slant, of a scene that is new
  furnish(slanting) {
    this.slanting = slanting;
    this.shown = -1;
  }

  // at each tick of the screen; moves: whether what is seen has changed; runs: whether more is to come. Returns whether a picture is due, at this.shown.
  tick(time, moves, runs) {
    const interval = time - this.ticked;
    this.ticked = time;
    if (this.drew) {
      this.pace.add(interval);
    } else {
      this.pace.idle(interval);
    }
    this.moved = moves ? time : this.moved;
    const rests = !moves && time - this.moved > (runs ? SLOW : REST);
    const changed = moves || rests || this.mode !== 'auto' ? this.set(this.choose(rests)) : false;
    this.drew = moves;
    return moves || changed;
  }

  choose(rests) {
    switch (this.mode) {
      case 'auto': return rests ? 0 : this.pace.level;
      case 'best': return 0;
      case 'fast': return LEVELS.length - 1;
      default: return Math.min(Math.max(Math.round(this.mode) || 0, 0), LEVELS.length - 1);
    }
  }

  // pixels drawn for each of the page's
  get ratio() { return this.renderer.getPixelRatio(); }

  get rests() { return this.shown === 0 && !this.drew; }

  set(level) {
    if (level === this.shown) {
      return false;
    }
    this.shown = level;
    const { ratio, shadows, slant } = LEVELS[level];
    const { sun, renderer } = this;
    renderer.setPixelRatio(Math.min(devicePixelRatio, ratio));
    sun.castShadow = shadows > 0;
    if (shadows > 0 && sun.shadow.mapSize.x !== shadows) {
      sun.shadow.mapSize.set(shadows, shadows);
      sun.shadow.map?.dispose();
      sun.shadow.map = null;
    }
    renderer.shadowMap.needsUpdate = true;
    this.slanting.forEach((map) => {
      map.anisotropy = slant;
      map.needsUpdate = true;
    });
    return true;
  }

  render(scene, camera) {
    const { renderer, target } = this;
    this.pictures += 1;
    if (LEVELS[this.shown].samples === 0) {
      renderer.render(scene, camera);
      return;
    }
    const { width, height } = renderer.domElement;
    target.setSize(width, height);
    renderer.setRenderTarget(target);
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    renderer.render(this.copy, camera);
  }
}
