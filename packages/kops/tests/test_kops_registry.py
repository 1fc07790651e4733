"""The tables of public and registered objects."""

import threading

import pytest

from kops import registry
from kops.registry import (
    PUBLIC,
    CustomObjectScope,
    canonical_path,
    custom_object_scope,
    export,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
    public_paths,
    register_keras_serializable,
)


@pytest.fixture(autouse=True)
def tables_are_put_back():
    tables = (registry._PUBLIC, registry._UNLISTED, registry._PATHS)
    tables += (registry._CUSTOM_OBJECTS, registry._CUSTOM_NAMES)
    before = [dict(table) for table in tables]
    yield
    for table, content in zip(tables, before, strict=True):
        table.clear()
        table.update(content)


def test_export_declares_every_path():
    @export("keras.layers.Probe", "keras.Probe")
    class Probe:
        pass

    assert PUBLIC["keras.layers.Probe"] is PUBLIC["keras.Probe"] is Probe
    assert public_paths(Probe) == ("keras.layers.Probe", "keras.Probe")
    assert canonical_path(Probe) == "keras.layers.Probe"

    class Mine(Probe):
        pass

    assert canonical_path(Mine) is None, "a path belongs to the class itself"


def test_export_takes_constants_and_functions():
    value = [1]
    assert export("keras.probe_constant")(value) is value
    assert canonical_path(value) == "keras.probe_constant"
    assert canonical_path([1]) is None


def test_a_path_has_one_owner():
    @export("keras.Probe")
    class Probe:
        pass

    export("keras.Probe")(Probe)
    with pytest.raises(ValueError, match=r"keras\.Probe.*belongs to"):
        export("keras.Probe")(type("Other", (), {}))
    with pytest.raises(ValueError, match="starts with 'keras.'"):
        export("layers.Probe")


def test_a_subclass_takes_over():
    @export("keras.Probe")
    class Below:
        pass

    @export("keras.Probe")
    class Above(Below):
        pass

    assert PUBLIC["keras.Probe"] is Above
    assert canonical_path(Below) == canonical_path(Above) == "keras.Probe"


def test_public_is_read_only():
    with pytest.raises(TypeError):
        PUBLIC["keras.x"] = 1


def test_internal_paths_are_not_public():
    @export("keras.src.models.probe.Probe")
    class Probe:
        pass

    assert "keras.src.models.probe.Probe" not in PUBLIC
    assert registry.UNLISTED["keras.src.models.probe.Probe"] is Probe
    assert canonical_path(Probe) == "keras.src.models.probe.Probe"


def test_register():
    @register_keras_serializable()
    def one(x):
        return x

    @register_keras_serializable("shop", name="Two")
    class Second:
        def get_config(self):
            return {}

    assert get_registered_name(one) == "Custom>one"
    assert get_registered_name(Second) == "shop>Two"
    assert get_registered_object("shop>Two") is Second
    assert get_custom_objects()["Custom>one"] is one
    assert get_registered_name(len) == "len"
    assert get_registered_object("nothing") is None


def test_register_needs_a_config():
    with pytest.raises(ValueError, match="'Bare'.*get_config"):
        register_keras_serializable()(type("Bare", (), {}))


def test_scopes_nest_and_end():
    a, b = object(), object()
    with custom_object_scope({"x": a}):
        with CustomObjectScope({"x": b}):
            assert get_registered_object("x") is b
        assert get_registered_object("x") is a
    assert get_registered_object("x") is None
    with pytest.raises(TypeError, match="`custom_objects`"):
        CustomObjectScope([1])


def test_scope_ends_with_an_exception():
    with pytest.raises(RuntimeError), custom_object_scope({"x": 1}):
        raise RuntimeError
    assert get_registered_object("x") is None


def test_a_scope_belongs_to_its_thread():
    seen = []
    with custom_object_scope({"x": 1}):
        thread = threading.Thread(target=lambda: seen.append(get_registered_object("x")))
        thread.start()
        thread.join()
    assert seen == [None]


def test_lookup_order():
    assert get_registered_object("x", {"x": 1}, {"x": 2}) == 1
    assert get_registered_object("x", None, {"x": 2}) == 2
    with custom_object_scope({"x": 3}):
        assert get_registered_object("x", {"x": 1}) == 3


def test_registering_from_many_threads():
    def register(i):
        register_keras_serializable("many", name=str(i))(lambda: i)

    threads = [threading.Thread(target=register, args=(i,)) for i in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {f"many>{i}" for i in range(50)} <= get_custom_objects().keys()
