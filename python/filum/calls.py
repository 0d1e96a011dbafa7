"""Every public call of the C library by its name, as the headers in filum/*.h say it, without its prefix:

    from filum import calls
    world = filum.World("hanging_rod")
    rod = calls.world_find_rod(world, "cable")
    calls.rod_get_tensions(world, rod)                  # what a call writes it returns: arrays of the right size
    settings = calls.world_sap_settings(world)          # a FilSapSettings
    settings.stick = 1e-4
    calls.world_set_sap_settings(world, settings)
    definition = calls.rigid_def_default()              # defaults, edited, then used
    calls.world_add_rigid(world, definition)

Worlds are filum.World, ids are pairs or filum.Object, FilVec3 and FilQuat are tuples, FilSlice is bytes, pointers in structs take arrays or lists of structs. A
status that is not FIL_OK is raised, and so is what fil_world_error() says of a getter that was asked for what there is not. Sizes of arrays are checked. Enums have their names in C: calls.FIL_DRIVE_FORCE.
"""

import ctypes
import json
import keyword
import os
import weakref

import numpy

from . import _filum
from .world import World

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls.json"), encoding="utf-8") as _file:
    _declared = json.load(_file)

_SCALARS = {"double": ctypes.c_double, "int": ctypes.c_int, "unsigned": ctypes.c_uint, "bool": ctypes.c_bool, "size_t": ctypes.c_size_t, "char": ctypes.c_char,
            "uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64}
_SCALARS.update({name: ctypes.c_int for name in _declared["enums"]})

# Shapes of arrays, of arguments and of what fields of structs point to: numbers, fields of the struct or other arguments, what is derived from these below, or
# what a call says of the first arguments.
_SHAPES = {
    "arm_get_state.elongations": "arm_section_count 3", "arm_get_state.rates": "arm_section_count 3",
    "arm_set_state.elongations": "arm_section_count 3", "arm_set_state.rates": "arm_section_count 3",
    "drive_value.value": "drive_size",
    "plan_coordinates.coordinates": "plan_size", "plan_command.commands": "plan_channel_count",
    "robot_place_link.positions": "robot_joint_count", "robot_reach.positions": "robot_joint_count", "robot_move_link.positions": "robot_joint_count",
    "robot_inverse_dynamics.positions": "robot_joint_count", "robot_inverse_dynamics.velocities": "robot_joint_count",
    "robot_inverse_dynamics.accelerations": "robot_joint_count", "robot_inverse_dynamics.efforts": "robot_joint_count",
    "rod_get_positions.nodes": "rod_node_count 3", "rod_get_velocities.nodes": "rod_node_count 3", "rod_get_curvatures.nodes": "rod_node_count 2",
    "rod_get_twists.nodes": "rod_node_count", "rod_get_angles.edges": "rod_edge_count", "rod_get_spins.edges": "rod_edge_count",
    "rod_get_frames.edges": "rod_edge_count 9", "rod_get_tensions.edges": "rod_edge_count", "rod_get_position.position": "3",
    "rod_set_state.nodes": "rod_node_count 3", "rod_set_state.velocities": "rod_node_count 3", "rod_set_state.angles": "rod_edge_count",
    "rod_set_state.spins": "rod_edge_count", "rod_set_rest_curvature.curvature": "count 2", "rod_set_rest_twist.twist": "count",
    "rod_set_rest_length.length": "count", "world_add_rod_network.rods": "count",
    "shell_get_triangles.triangles": "shell_triangle_count 3", "shell_get_positions.vertices": "shell_vertex_count 3",
    "shell_get_velocities.vertices": "shell_vertex_count 3", "shell_get_position.position": "3", "shell_set_state.vertices": "shell_vertex_count 3",
    "shell_set_state.velocities": "shell_vertex_count 3",
    "solid_get_positions.vertices": "solid_vertex_count 3", "solid_get_velocities.vertices": "solid_vertex_count 3", "solid_get_position.position": "3",
    "solid_set_state.vertices": "solid_vertex_count 3", "solid_set_state.velocities": "solid_vertex_count 3",
    "drive_set.value": "count", "world_measure.numbers": "3", "world_cast_rays.hits": "count",

    "FilArmDef.sections": "section_count", "FilJointDef.vertices": "vertex_count", "FilMesh.vertices": "vertex_count 3", "FilMesh.triangles": "triangle_count 3",
    "FilBagChannel.properties": "property_count", "FilReaderMetadata.pairs": "count", "FilShapeDef.points": "point_count 3",
    "FilShapeDef.triangles": "triangle_count 3", "FilShapeDef.radii": "radius_count", "FilRigidDef.shapes": "shape_count", "FilRingDef.rods": "rod_count",
    "FilLinkDef.shapes": "shape_count", "FilRobotDef.links": "link_count", "FilRobotDef.joints": "joint_count", "FilReachDef.joints": "joint_count",
    "FilReachDef.posture": "robot_joint_count",
    "FilLinkMotionDef.joints": "joint_count", "FilTrajectoryDef.joints": "joint_count", "FilTrajectoryDef.times": "point_count",
    "FilTrajectoryDef.positions": "point_count joint_count", "FilTrajectoryDef.velocities": "point_count joint_count",
    "FilTrajectoryDef.efforts": "point_count joint_count", "FilRodDef.nodes": "node_count 3", "FilRodDef.angles": "edges", "FilRodDef.sections": "edges",
    "FilRodDef.rest_lengths": "edges", "FilRodDef.rest_curvature": "node_count 2", "FilRodDef.rest_twist": "node_count",
    "FilRodDef.velocities": "node_count 3", "FilRodDef.spins": "edges", "FilSceneOptions.settings": "setting_count", "FilSceneOptions.without": "without_count",
    "FilShellDef.vertices": "vertex_count 3", "FilShellDef.triangles": "triangle_count 3", "FilShellDef.velocities": "vertex_count 3",
    "FilSolidMesh.vertices": "vertex_count 3", "FilSolidMesh.tets": "tet_count 4", "FilSolidBlend.parts": "part_count",
    "FilSolidDef.vertices": "vertex_count 3", "FilSolidDef.tets": "tet_count 4", "FilSolidDef.velocities": "vertex_count 3",
    "FilDriveDef.times": "knot_count", "FilDriveDef.values": "knot_count dimension",
}
# sizes that follow from others, by the struct and the arguments of the call that it is for
_DERIVED = {
    "drive_size": lambda struct, given: quantity_components(given["world"], find_quantity("drive"), given["drive"]),
    "plan_size": lambda struct, given: plan_info(given["plan"]).coordinates,
    "edges": lambda struct, given: struct.node_count - (0 if struct.closed else 1),
    "dimension": lambda struct, given: drive_dimension(struct.kind),
}
# pointers to what is not constant but read, or read and written, where all others are results
_READ = {"recorder_options_choose.options", "robot_reach.positions", "robot_move_link.positions"}
# structs that may be None
_OPTIONAL = {"scene_load.options", "scene_load_text.options"}
# after these a handle is gone
_ENDS = {"plan_destroy", "plan_tracker_destroy", "plan_task_end", "receding_destroy", "recorder_close", "reader_close"}
# what is allocated in structs, and by what it is freed: Python has copies
_FREES = {"FilMesh": "fil_mesh_free", "FilSolidMesh": "fil_solid_mesh_free"}

#: calls that take functions, raw memory or what has a class of its own, and what has them in Python
ELSEWHERE = {name: "filum.Batch" for name in _declared["calls"] if name.startswith("fil_batch_") or name == "fil_scene_load_batch"}
ELSEWHERE.update({name: "filum.Gradient" for name in _declared["calls"] if name.startswith("fil_gradient_")})
ELSEWHERE.update({"fil_batch_hashes": "filum.Batch.hashes", "fil_gradient_trajectory": "filum.trajectory_gradient", "fil_trajectory_cost_default": "filum.trajectory_gradient",
                  "fil_rollout_def_default": "filum.Batch.rollout", "fil_input_def_default": "filum.Batch.add_drive", "fil_scene_each": "filum.scenes",
                  "fil_scene_batch_def_default": "filum.Batch", "fil_world_destroy": "filum.World.close", "fil_world_save": "filum.World.save",
                  "fil_world_restore": "filum.World.restore", "fil_world_set_stop": "filum.World.step", "fil_world_positions": "filum.World.positions",
                  "fil_world_velocities": "filum.World.velocities", "fil_world_vary": "filum.World.vary", "fil_mesh_free": "filum.calls.FilMesh", "fil_solid_mesh_free": "filum.calls.FilSolidMesh"})


def _size(word, struct, given):
    if word.isdigit():
        return int(word)
    if word in _DERIVED:
        return _DERIVED[word](struct, given)
    if struct is not None and hasattr(struct, word):
        return getattr(struct, word)
    if word in given:
        return given[word]
    first = [value for name, value in given.items() if name in ("world", "plan", "robot", "rod", "arm", "shell", "solid")]
    return globals()[word](*first)


def _shape(key, struct, given):
    return tuple(_size(word, struct, given) for word in _SHAPES[key].split())


# ---- structs ----

def _text(value):
    return value if value is None or isinstance(value, bytes) else os.fsencode(value)


def _plain(value):
    """What a struct that is a value of Python's becomes."""
    return tuple(getattr(value, "_" + name) for name in value._names) if isinstance(value, Struct) and value._tuple else value


class Struct(ctypes.Structure):
    """A struct of the library: fields by their names in C (with an underscore after a word of Python's)."""
    _names, _tuple = (), False

    def __init__(self, **values):
        super().__init__()
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if not hasattr(type(self), name):
            raise AttributeError(f"{type(self).__name__} has no field '{name}'")
        object.__setattr__(self, name, value)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._names)})"

    def _keep(self, key, value):
        """Memory that a pointer in this struct, or in one that it is part of, looks at."""
        root, at = self, ctypes.addressof(self)
        while getattr(root, "_b_base_", None) is not None:
            root = root._b_base_
        vars(root).setdefault("kept", {})[at, key] = value

    def _kept(self, key):
        root = self
        while getattr(root, "_b_base_", None) is not None:
            root = root._b_base_
        return vars(root).get("kept", {}).get((ctypes.addressof(self), key))

    def _check(self, given):
        """Raises if an array is not as long as the struct says."""
        for kind, field, dimensions in _declared["structs"][type(self).__name__]:
            key, base = f"{type(self).__name__}.{field}", kind.replace("const ", "").rstrip("*")
            if kind in _structs and not _structs[kind]._tuple and kind != "FilSlice":
                for part in [getattr(self, field)] if not dimensions else getattr(self, field):
                    part._check(given)
            elif (kind.endswith("*") or kind == "texts") and key in _SHAPES:
                kept = self._kept(field)
                wanted = _shape(key, self, given) if kept is not None else ()
                size = int(numpy.prod(wanted)) if wanted else 0
                if kept is not None and (kept.size if isinstance(kept, numpy.ndarray) else len(kept)) < size:
                    raise _filum.InputError(f"{key}: {' x '.join(map(str, wanted))} are needed, not {len(kept)}")
                if kept is not None and base in _structs and not _structs[base]._tuple:
                    for part in kept:
                        part._check(given)


def _pointer_field(struct, kind, field):
    """A property for a pointer: arrays of numbers, lists of structs, handles, or None."""
    base, raw = kind.replace("const ", "").rstrip("*"), "_" + field

    def get(self):
        kept, address = self._kept(field), getattr(self, raw)
        if kept is not None or not address:
            return kept
        if base not in _SCALARS and base not in _structs or f"{struct}.{field}" not in _SHAPES:
            return address
        shape = _shape(f"{struct}.{field}", self, {})
        if base in _structs:
            return [_structs[base].from_buffer_copy(ctypes.string_at(address + k * ctypes.sizeof(_structs[base]), ctypes.sizeof(_structs[base])))
                    for k in range(shape[0])]
        count = int(numpy.prod(shape))
        memory = (_SCALARS[base] * count).from_address(address)
        memory.owner = self
        return numpy.ctypeslib.as_array(memory).reshape(shape) if count else numpy.empty(shape)

    def put(self, value):
        if value is None:
            kept, address = None, None
        elif base in _declared["handles"]:
            kept, address = value, value._address()
        elif kind == "texts":
            kept = (ctypes.c_char_p * len(value))(*map(_text, value))
            address = ctypes.addressof(kept)
        elif base in _structs:
            kept = _array_of(base, value)
            address = ctypes.addressof(kept)
        elif base in _SCALARS:
            kept = numpy.ascontiguousarray(value, dtype=_SCALARS[base])
            address = kept.ctypes.data
        else:
            raise TypeError(f"{struct}.{field} is not for Python")
        self._keep(field, kept)
        object.__setattr__(self, raw, address)

    return property(get, put)


def _value_field(kind, field, dimensions):
    raw = "_" + field

    def get(self):
        value = getattr(self, raw)
        if kind == "FilSlice":
            return ctypes.string_at(value._data, value._size) if value._size else b""
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        if isinstance(value, ctypes.Array):
            return numpy.ctypeslib.as_array(value) if kind in _SCALARS else value
        return _plain(value)

    def put(self, value):
        if kind == "FilSlice":
            self._keep(field, value)
            value = _slice(value)
        elif kind in ("const char*", "char"):
            value = _text(value)
        elif dimensions and kind in _SCALARS:
            numpy.ctypeslib.as_array(getattr(self, raw))[...] = value
            return
        elif kind in _structs and _structs[kind]._tuple:
            value = _tuple_of(kind, value)
        object.__setattr__(self, raw, value)

    return property(get, put)


def _slice(data):
    slice_ = _structs["FilSlice"]()
    object.__setattr__(slice_, "_data", ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value)
    object.__setattr__(slice_, "_size", len(data))
    return slice_


def _tuple_of(kind, value):
    value = getattr(value, "id", value)
    struct = _structs[kind]()
    if isinstance(value, _structs[kind]):
        return value
    if len(value) != len(struct._names):
        raise _filum.InputError(f"{kind}: {len(struct._names)} numbers are needed, not {len(value)}")
    for name, number in zip(struct._names, value):
        object.__setattr__(struct, "_" + name, number)
    return struct


def _array_of(kind, values):
    """Structs one after the other; what they look at stays."""
    values = [_tuple_of(kind, value) if _structs[kind]._tuple else value for value in values]
    array = (_structs[kind] * len(values))(*values)
    array.owners = values
    return array


_structs = {}


def _make_struct(name):
    if name in _structs:
        return _structs[name]
    rows, properties = [], {}
    for kind, field, dimensions in _declared["structs"][name]:
        public = field + "_" if keyword.iskeyword(field) else field
        if kind == "const char*":
            c = ctypes.c_char_p
        elif kind.endswith("*") or kind in ("function", "texts"):
            c = ctypes.c_void_p
        else:
            c = _SCALARS.get(kind) or _make_struct(kind)
        for size in reversed(dimensions):
            c = c * size
        rows.append(("_" + field, c))
        pointer = kind.endswith("*") and kind != "const char*" or kind in ("function", "texts")
        properties[public] = _pointer_field(name, kind, field) if pointer else _value_field(kind, field, dimensions)
    made = type(name, (Struct,), {"_fields_": rows, "_names": tuple(properties), "_tuple": name in ("FilVec3", "FilQuat", "FilId"), **properties})
    _structs[name] = globals()[name] = made
    return made


for _name in _declared["structs"]:
    _make_struct(_name)
_sizes = _filum._sizes()
for _name, _struct in _structs.items():
    if ctypes.sizeof(_struct) != _sizes[_name]:
        raise ImportError(f"{_name} has {_sizes[_name]} bytes in the library and {ctypes.sizeof(_struct)} here: this package and its module are of two versions")
for _values in _declared["enums"].values():
    globals().update(_values)


# ---- handles ----

_unread = _structs["FilError"]()  # of what ends by itself


class Handle:
    """Something of the library that a call has made: a plan, a recorder, a reader, ... It is freed when nobody has it any more, or by the call that ends it."""
    _enders = {"FilPlan": "fil_plan_destroy", "FilPlanTracker": "fil_plan_tracker_destroy", "FilReceding": "fil_receding_destroy",
               "FilReader": "fil_reader_close", "FilRecorder": "fil_recorder_close", "FilPlanTask": "fil_plan_task_end"}

    def __init__(self, kind, address, needs):
        rest = {"FilRecorder": (None, ctypes.addressof(_unread)), "FilPlanTask": (None, ctypes.addressof(_unread))}.get(kind, ())
        self.kind, self.needs = kind, needs  # what it borrows
        self._pointer, self._end = address, weakref.finalize(self, _raw(self._enders[kind]), address, *rest)

    def _address(self):
        if self._pointer is None:
            raise _filum.Error(f"this {self.kind} has ended")
        return self._pointer

    def _gone(self):
        self._pointer = None
        self._end.detach()

    def __repr__(self):
        return f"<{self.kind}{'' if self._pointer else ', ended'}>"


_addresses = _filum._calls()


def _raw(name):
    """The function itself, by ctypes, which lets other threads run meanwhile."""
    def c_of(kind, dimensions=()):
        if kind == "void":
            return None
        if kind == "const char*":
            return ctypes.c_char_p
        return ctypes.c_void_p if kind.endswith("*") or dimensions else _SCALARS.get(kind) or _structs[kind]

    declared = _declared["calls"][name]
    signature = ctypes.CFUNCTYPE(c_of(declared["result"]), *[c_of(kind, dimensions) for kind, _, dimensions in declared["arguments"]])
    return signature(_addresses[name])


# ---- calls ----

class _Argument:
    """How an argument comes from Python, and what of it goes back."""

    def __init__(self, call, kind, name, dimensions, after):
        self.kind, self.name, self.dimensions = kind, name, dimensions
        self.base = kind.replace("const ", "").rstrip("*")
        self.key = f"{call}.{name}"
        self.constant = kind.startswith("const ")
        self.array = self.key in _SHAPES or bool(dimensions)
        self.list = self.constant and self.base in _structs and after is not None and (after[1] == "count" or after[1].endswith("_count"))
        read = self.constant or self.key in _READ or not (kind.endswith("*") or dimensions)
        self.counted = None  # the argument that has its number
        self.is_error = self.base == "FilError"
        self.is_handle = self.base in _declared["handles"] and kind.count("*") == 1
        self.given = (read or self.is_handle) and not self.is_error
        self.result = not self.is_error and not self.is_handle and (not self.constant and (kind.endswith("*") or bool(dimensions)))
        if (self.list or kind in ("const char*", "char*") or self.key == "drive_set.value") and after and after[0] in ("int", "size_t") and \
                (after[1] in ("size", "count") or after[1].endswith("_count")):
            self.counted = after[1]

    def convert(self, given):
        """What ctypes takes; the second is what the call writes to."""
        value = given.get(self.name)
        if self.is_error:
            made = _structs["FilError"]()
        elif self.base in _declared["handles"]:
            if not self.is_handle:
                made = ctypes.c_void_p()
            elif self.base == "FilWorld":
                return value, None  # claimed later
            else:
                if not isinstance(value, Handle) or value.kind != self.base:
                    raise TypeError(f"{self.name}: a {self.base} is needed, not {value!r}")
                return value._address(), None
        elif self.array:
            shape = tuple(self.dimensions) or _shape(self.key, None, given)
            if self.base in _structs:
                made = (_structs[self.base] * shape[0])()
                return ctypes.addressof(made), made
            made = numpy.empty(shape, _SCALARS[self.base])
            if self.given and value is None:
                return None, None
            if self.given:
                value = numpy.asarray(value, _SCALARS[self.base])
                if value.size != made.size:
                    raise _filum.InputError(f"{self.name}: {' x '.join(map(str, shape))} are needed, not {' x '.join(map(str, value.shape))}")
                made[...] = value.reshape(shape)
            return made.ctypes.data, made
        elif self.kind == "const char*":
            if value is None and "world" not in given:  # worlds refuse what they cannot take
                raise TypeError(f"{self.name}: a text is needed")
            return _text(value), None
        elif self.kind == "char*":
            made = ctypes.create_string_buffer(1 << 16)
        elif self.list:
            made = _array_of(self.base, value)
            for part in value:
                part._check(given)
        elif self.kind.endswith("*") and self.given:
            if value is None and self.key in _OPTIONAL:
                return None, None
            made = value
            if not isinstance(value, _structs[self.base]):
                raise TypeError(f"{self.name}: a {self.base} is needed, not {value!r}")
            value._check(given)
        elif self.kind.endswith("*"):
            made = (_SCALARS.get(self.base) or _structs[self.base])()
        else:
            return (_tuple_of(self.kind, value) if self.kind in _structs and _structs[self.kind]._tuple else value), None
        return ctypes.addressof(made), made

    def back(self, made, needs):
        if self.base == "FilWorld":
            return World._adopt(made.value)
        if self.base in _declared["handles"]:
            return Handle(self.base, made.value, needs)
        if self.kind == "char*":
            return made.value.decode("utf-8", "replace")
        if self.base in _structs and not self.array:
            return _plain(made) if self.base not in _FREES else _own(made, _FREES[self.base])
        if self.array and self.base in _structs:
            return [_plain(item) for item in made]
        return made if self.array else made.value


def _own(made, free):
    """A struct with arrays of the library's, which are freed: copies stay."""
    arrays = {field: getattr(made, field).copy() for _, field, _ in _declared["structs"][type(made).__name__] if f"{type(made).__name__}.{field}" in _SHAPES}
    numbers = {name: getattr(made, name) for name in made._names if name not in arrays}
    _raw(free)(ctypes.addressof(made))
    return type(made)(**numbers, **arrays)


def _result(kind, value):
    if kind == "const char*":
        return None if value is None else value.decode("utf-8", "replace")
    return _plain(value)


def _make_call(name):
    declared, short = _declared["calls"][name], name[len("fil_"):]
    rows = declared["arguments"]
    arguments = [_Argument(short, *row, rows[k + 1] if k + 1 < len(rows) else None) for k, row in enumerate(rows)]
    counts = {argument.counted for argument in arguments} - {None}
    taken = [argument for argument in arguments if argument.given and argument.name not in counts]
    results = [argument for argument in arguments if argument.result]
    named = [argument.name + "_" if keyword.iskeyword(argument.name) else argument.name for argument in taken]
    function, kind = _raw(name), declared["result"]
    adds = "_add_" in name or short == "scene_extend"

    def call(*values, **keywords):
        if len(values) > len(taken):
            raise TypeError(f"{short}() takes {len(taken)} arguments: {', '.join(named)}")
        given = dict(zip((argument.name for argument in taken), values))
        for word, value in keywords.items():
            if word not in named or taken[named.index(word)].name in given:
                raise TypeError(f"{short}() takes {', '.join(named)}; not '{word}', or not twice")
            given[taken[named.index(word)].name] = value
        missing = [argument.name for argument in taken if argument.name not in given]
        if missing:
            raise TypeError(f"{short}() needs {', '.join(missing)}")
        for argument in arguments:
            if argument.counted is not None and argument.given:
                value = given[argument.name]
                given[argument.counted] = 0 if value is None else len(_text(value) if argument.kind == "const char*" else value)
            elif argument.counted is not None:
                given[argument.counted] = 1 << 16
        converted = [argument.convert(given) for argument in arguments]
        return run(given, converted)

    def run(given, converted):
        claimed, status = {}, 0
        try:
            passed = []
            for argument, (value, _) in zip(arguments, converted):
                if argument.is_handle and argument.base == "FilWorld":
                    if not isinstance(value, _filum.World):
                        raise TypeError(f"{argument.name}: a filum.World is needed, not {value!r}")
                    claimed[value] = value._claim(adds)
                    value = claimed[value]
                passed.append(value)
            if short != "world_error":  # which is asked for what the last one has left
                for address in claimed.values():
                    _set_error(address, 0, b"")
            try:
                answer = function(*passed)
            except ctypes.ArgumentError as wrong:
                raise TypeError(f"{short}({', '.join(named)}): {wrong}") from None
            error = next((made for argument, (_, made) in zip(arguments, converted) if argument.is_error), None)
            failed = kind == "FilStatus" and answer != 0 or kind == "bool" and error is not None and not answer
            status = answer if kind == "FilStatus" else 1
            message = error._text if error is not None else next(filter(None, map(_get_error, claimed.values())), b"")
        finally:
            for world in claimed:
                world._yield()
        if short in _ENDS:
            given[arguments[0].name]._gone()
        if (failed or kind != "FilStatus" and message) and short not in ("world_error", "world_set_error"):
            _filum._fail(status, message)
        back = [] if kind in ("void", "FilStatus") else [_handle(kind, answer, given) if kind.endswith("*") and kind != "const char*" else _result(kind, answer)]
        back += [argument.back(made, tuple(given.values())) for argument, (_, made) in zip(arguments, converted) if argument.result]
        return None if not back else back[0] if len(back) == 1 else tuple(back)

    call.__name__ = call.__qualname__ = short
    call.__doc__ = f"{short}({', '.join(named)}): {name}() of filum/{declared['header']}"
    if results:
        call.__doc__ += f"; returns {', '.join(argument.name for argument in results)}"
    return call


def _handle(kind, address, given):
    if address is None:
        raise MemoryError(kind)
    return Handle(kind.rstrip("*"), address, tuple(given.values()))


_set_error, _get_error = _raw("fil_world_set_error"), _raw("fil_world_error")
for _name in _declared["calls"]:
    # those with arguments that are not known here are left out, which python.calls finds
    if _name not in ELSEWHERE and not any(kind in ("function", "texts", "void*", "const void*") for kind, _, _ in _declared["calls"][_name]["arguments"]):
        globals()[_name[len("fil_"):]] = _make_call(_name)

__all__ = [name for name in globals() if not name.startswith("_") and name not in ("ctypes", "json", "keyword", "os", "weakref", "numpy")]
