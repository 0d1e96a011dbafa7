"""Scenes built by calls, with the keys that docs/keys.md lists."""


class Scene:
    """A scene that grows by calls; World(scene) and Batch(scene, n) build it.

        scene = filum.Scene(world={"dt": 0.001})
        scene.material("rubber", young=1e6, poisson=0.5, density=1000)
        scene.rod("cable", material="rubber", section={"circle": {"radius": 0.002}},
                  shape={"straight": {"from": [0, 0, 0], "to": [1, 0, 0], "nodes": 40}})
        scene.attachment("hook", pin={"rod": "cable", "node": 0})
        scene.probe("tip", position={"rod": "cable", "node": -1})
        world = filum.World(scene)
    """

    # calls and the sections that they add to: lists of named entries
    _lists = {"rod": "rods", "arm": "arms", "rigid_body": "rigid_bodies", "robot": "robots", "shell": "shells", "solid": "solids",
              "ring": "rings", "attachment": "attachments", "drive": "drives", "joint": "joints", "net": "nets", "chain": "chains"}

    def __init__(self, **head):
        self._content = dict(head)

    def __getattr__(self, name):
        section = type(self)._lists.get(name)
        if section is None:
            raise AttributeError(f"a scene has no '{name}': it is one of {', '.join(sorted(self._lists))}, material, probe, set")

        def add(entry, **keys):
            self._content.setdefault(section, []).append({"name": entry, **keys})
            return self

        add.__doc__ = f"{name}(name, **keys): another entry of `{section}`."
        return add

    def material(self, name, **keys):
        """Another material."""
        self._content.setdefault("materials", {})[name] = keys
        return self

    def probe(self, name, quantity=None, **keys):
        """Another probe: a quantity of the world (a text), or quantity=where (a keyword)."""
        self._content.setdefault("probes", {})[name] = quantity if quantity is not None else keys
        return self

    def set(self, section, value):
        """Anything else: a section of the scene as it stands in files."""
        self._content[section] = value
        return self

    def as_dict(self):
        return self._content
